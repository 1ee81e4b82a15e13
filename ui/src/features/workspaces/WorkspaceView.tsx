import { ArrowLeft, Folder, ShieldCheck, SquarePen } from "lucide-react";
import type { ReactNode } from "react";
import type { GrantView } from "../../host";
import { Age } from "../../kit/Age";
import { Button } from "../../kit/Button";
import { Notice } from "../../kit/Notice";
import { Card, Empty, Mono, Page, Section, Skeleton } from "../../kit/Page";
import { StateGlyph, StateWord } from "../../kit/State";
import { formatRoute, goTo } from "../../state/route";
import { nameOf, tilde, type FolderRow } from "../../state/sidebar";
import styles from "./Workspaces.module.css";

export interface WorkspaceViewProps {
  known: boolean;
  row: FolderRow | null;
  practice: boolean;
  home: string;
  /** What the folder would make each harness run. */
  trust?: ReactNode;
  grants: GrantView[] | null;
  revoking: string | null;
  error: { title: string; text: string; details?: string | undefined } | null;
  onRetry: () => void;
  onRevoke: (grantId: string) => void;
}

export function WorkspaceView(props: WorkspaceViewProps) {
  const { known, row, practice, home, error, onRetry } = props;
  if (known && !row) {
    return (
      <Page title="Workspace">
        <Empty icon={<Folder />} title="This folder is not known" actions={<Button onClick={() => goTo({ room: "workspaces" })}>All workspaces</Button>}>
          Its last chat may have been deleted.
        </Empty>
      </Page>
    );
  }
  return (
    <Page
      title={row ? nameOf(row.folder) : "Workspace"}
      intro={row ? <Mono>{tilde(row.folder, home)}</Mono> : undefined}
      actions={
        <>
          <Button tone="ghost" icon={<ArrowLeft />} onClick={() => goTo({ room: "workspaces" })}>All workspaces</Button>
          {row ? <Button icon={<SquarePen />} onClick={() => goTo({ room: "new", folder: row.folder })}>New chat here</Button> : null}
        </>
      }
    >
      {practice ? <Notice title="A sample folder of Paddock's own">Chats here are practice: the answers are scripted and nothing is paid.</Notice> : null}
      {error ? <Notice tone="error" live title={error.title} details={error.details} actions={<Button size="sm" onClick={onRetry}>Try again</Button>}>{error.text}</Notice> : null}
      {props.trust}
      <Grants {...props} />
      <Section title="Chats">
        {row === null ? <Skeleton lines={3} label="Loading chats" /> : null}
        {row?.chats.length === 0 ? <Card><Empty title="No chats in this folder" /></Card> : null}
        {row?.chats.length ? (
          <Card>
            <ul className={styles.rows}>
              {row.chats.map((chat) => (
                <li key={chat.id}>
                  <a className={styles.row} href={formatRoute({ room: "chat", chatId: chat.id })}>
                    <span className={styles.rowIcon}><StateGlyph state={chat.state} /></span>
                    <span className={styles.rowText}>
                      <span className={styles.rowName} dir="auto">{chat.title}</span>
                    </span>
                    <span className={styles.rowEnd}>
                      <StateWord state={chat.state} />
                      <Age since={chat.since} className={styles.soft} />
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          </Card>
        ) : null}
      </Section>
    </Page>
  );
}

function Grants({ grants, revoking, error, onRevoke }: WorkspaceViewProps) {
  return (
    <Section title="Allowed without asking" intro="What you allowed to be remembered, exactly as it was shown to you. Revoking holds from the next step on.">
      {grants === null && !error ? <Skeleton lines={2} label="Loading grants" /> : null}
      {grants?.length === 0 ? (
        <Card><Empty icon={<ShieldCheck />} title="Nothing is remembered">Every risky step in this folder asks.</Empty></Card>
      ) : null}
      {grants?.length ? (
        <Card>
          <ul className={styles.rows}>
            {grants.map((grant) => (
              <li key={grant.id} className={styles.grant}>
                <div className={styles.grantText}>
                  <span><span className={styles.tool}>{grant.tool}</span> <Mono>{grant.subject}</Mono></span>
                  <span className={styles.soft}>{grant.shown}</span>
                  <span className={styles.soft}>granted <Age since={grant.granted_at} /> ago in <bdi>{grant.chat_title}</bdi></span>
                </div>
                <Button size="sm" busy={revoking === grant.id} aria-label={`Revoke ${grant.tool} ${grant.subject.slice(0, 120)}`} onClick={() => onRevoke(grant.id)}>Revoke</Button>
              </li>
            ))}
          </ul>
        </Card>
      ) : null}
    </Section>
  );
}
