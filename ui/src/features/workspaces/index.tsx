import { useLive } from "../../state/live";
import { FolderTrust } from "../../prompt";
import { troubleOf, useGrants, useHarnesses, useRevoke } from "../../state/queries";
import { byFolder, type FolderRow } from "../../state/sidebar";
import { chatRows } from "../../state/world";
import { WorkspaceView } from "./WorkspaceView";
import { WorkspacesView } from "./WorkspacesView";

export function Workspaces({ workspaceId }: { workspaceId?: string | undefined }) {
  const chats = useLive((state) => state.chats);
  const workspaces = useLive((state) => state.workspaces);
  const known = useLive((state) => state.known);
  const broken = useLive((state) => state.broken !== null);
  const home = useLive((state) => state.boot?.home ?? "");
  const rows = byFolder(chatRows(chats), [...workspaces.values()]);
  if (workspaceId === undefined) return <WorkspacesView rows={known ? rows : null} broken={broken} workspaces={workspaces} home={home} />;
  const row = rows.find(({ id }) => id === workspaceId);
  return <One key={workspaceId} id={workspaceId} row={row ?? null} known={known} home={home} />;
}

function One({ id, row, known, home }: { id: string; row: FolderRow | null; known: boolean; home: string }) {
  const grants = useGrants(id);
  const revoke = useRevoke(id);
  const harnesses = useHarnesses();
  const practice = useLive((state) => state.workspaces.get(id)?.practice ?? false);
  return (
    <WorkspaceView
      known={known}
      row={row}
      practice={practice}
      home={home}
      trust={row && !practice ? harnesses.data?.map(({ id: harness, name }) => <FolderTrust key={harness} harness={harness} name={name} folder={row.folder} />) : null}
      grants={grants.data ?? null}
      revoking={revoke.isPending ? (revoke.variables ?? null) : null}
      error={troubleOf(revoke.error ?? grants.error)}
      onRetry={() => void grants.refetch()}
      onRevoke={(grantId) => revoke.mutate(grantId)}
    />
  );
}
