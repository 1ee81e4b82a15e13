import { ChevronRight, Folder } from "lucide-react";
import type { Workspace } from "../../host";
import { Age } from "../../kit/Age";
import { Button } from "../../kit/Button";
import { Badge, Card, Empty, Page, Skeleton } from "../../kit/Page";
import { StateMark } from "../../kit/State";
import { formatRoute, goTo } from "../../state/route";
import { nameOf, tilde, worst, type FolderRow } from "../../state/sidebar";
import styles from "./Workspaces.module.css";

export interface WorkspacesViewProps {
  rows: FolderRow[] | null;
  /** The lists could not be read; the window says why. */
  broken: boolean;
  workspaces: ReadonlyMap<string, Workspace>;
  home: string;
}

export function WorkspacesView({ rows, broken, workspaces, home }: WorkspacesViewProps) {
  return (
    <Page title="Workspaces" intro="The folders that your agents work in, and what may run there without asking." actions={<Button onClick={() => goTo({ room: "new" })}>New chat</Button>}>
      {rows === null && broken ? <p className={styles.soft}>The workspaces could not be read.</p> : null}
      {rows === null && !broken ? <Skeleton lines={5} label="Loading workspaces" /> : null}
      {rows?.length === 0 ? (
        <Empty icon={<Folder />} title="No folders yet" actions={<Button tone="primary" onClick={() => goTo({ room: "new" })}>Start the first chat</Button>}>
          A folder appears here with its first chat.
        </Empty>
      ) : null}
      {rows?.length ? (
        <Card>
          <ul className={styles.rows}>
            {rows.map((row) => <li key={row.folder}><Row row={row} workspace={workspaces.get(row.id)} home={home} /></li>)}
          </ul>
        </Card>
      ) : null}
    </Page>
  );
}

function Row({ row, workspace, home }: { row: FolderRow; workspace: Workspace | undefined; home: string }) {
  const state = worst(row.chats);
  return (
    <a className={styles.row} href={formatRoute({ room: "workspaces", workspaceId: row.id })}>
      <span className={styles.rowIcon} aria-hidden="true"><Folder /></span>
      <span className={styles.rowText}>
        <span className={styles.rowName} dir="auto">{nameOf(row.folder)}</span>
        <span className={styles.rowPath} dir="auto">{tilde(row.folder, home)}</span>
      </span>
      <span className={styles.rowEnd}>
        {workspace?.practice ? <Badge tone="practice">Practice</Badge> : null}
        {state === "read" ? null : <StateMark state={state} />}
        <span className={styles.soft}>{row.chats.length} {row.chats.length === 1 ? "chat" : "chats"}</span>
        {workspace ? <Age since={workspace.last_used_at} className={styles.soft} /> : null}
        <ChevronRight aria-hidden="true" />
      </span>
    </a>
  );
}
