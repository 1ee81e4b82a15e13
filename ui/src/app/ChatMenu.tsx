import { Archive, Copy, Ellipsis, FolderOpen, GitFork, Pencil, Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { ForkDialog } from "../features/composer";
import { host, hostError, type ChatSummary } from "../host";
import { Button, IconButton } from "../kit/Button";
import { AlertDialog, Dialog } from "../kit/Dialog";
import { TextField } from "../kit/Field";
import { Menu, type MenuEntry } from "../kit/Menu";
import { Notice } from "../kit/Notice";
import { applyOwn } from "../state/live";
import { useHarnesses } from "../state/queries";
import { goTo } from "../state/route";
import { keepSchema } from "../state/schemas";

/** Letters of a title at most. */
export const MOST_TITLE_LETTERS = 200;

/** What can be done with a whole chat. */
export function ChatMenu({ chat }: { chat: ChatSummary }) {
  const [open, setOpen] = useState<"rename" | "fork" | "delete" | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const card = useHarnesses().data?.find(({ id }) => id === chat.harness);
  const close = () => {
    setOpen(null);
    setFailed(null);
  };
  const run = async (work: () => Promise<unknown>, then?: () => void) => {
    setFailed(null);
    try {
      await work();
      close();
      then?.();
    } catch (cause) {
      setFailed(`${hostError(cause).message}. ${hostError(cause).nextStep}`);
    }
  };
  return (
    <>
      <Menu
        trigger={<IconButton label="More about this chat" size="sm"><Ellipsis /></IconButton>}
        entries={[
          { id: "rename", label: "Rename…", icon: <Pencil />, run: () => setOpen("rename") },
          ...(card?.capabilities.fork ? [forkEntry(chat, () => setOpen("fork"))] : []),
          { id: "folder", label: "Show the workspace", icon: <FolderOpen />, run: () => goTo({ room: "workspaces", workspaceId: chat.workspace }) },
          { id: "id", label: "Copy session id", icon: <Copy />, disabled: chat.session_id === null, run: () => void navigator.clipboard.writeText(chat.session_id ?? "") },
          null,
          { id: "archive", label: chat.archived ? "Take out of the archive" : "Archive", icon: <Archive />, run: () => void run(() => host.archiveChat(chat.id, !chat.archived)) },
          { id: "delete", label: "Delete…", icon: <Trash2 />, danger: true, run: () => setOpen("delete") },
        ]}
      />
      {failed && open === null ? <Notice tone="error" live title="Not done">{failed}</Notice> : null}
      <RenameDialog open={open === "rename"} chat={chat} failed={failed} onClose={close} onSave={(title) => void run(() => host.renameChat(chat.id, title))} />
      <ForkDialog
        open={open === "fork"}
        chat={chat}
        card={card}
        onClose={close}
        onForked={(made) => {
          close();
          applyOwn({ item: "chat", summary: made });
          goTo({ room: "chat", chatId: made.id });
        }}
      />
      <DeleteDialog open={open === "delete"} chat={chat} failed={failed} onClose={close} onDelete={() => void run(() => host.deleteChat(chat.id), () => {
        keepSchema(chat.id, { text: "", on: false });
        goTo({ room: "new" }, "replace");
      })} />
    </>
  );
}

/** Copies begin where a session rests. */
function forkEntry(chat: ChatSummary, run: () => void): MenuEntry {
  const why = chat.session_id === null ? "Nothing to copy yet: send a message first" : chat.waits !== null ? "A turn runs: wait for its end, or stop it" : null;
  return { id: "fork", label: "Fork this chat…", icon: <GitFork />, disabled: why !== null, ...(why === null ? {} : { hint: why }), run };
}

interface DialogProps {
  open: boolean;
  chat: ChatSummary;
  failed: string | null;
  onClose: () => void;
}

function RenameDialog({ open, chat, failed, onClose, onSave }: DialogProps & { onSave: (title: string) => void }) {
  const [title, setTitle] = useState(chat.title);
  const [wasOpen, setWasOpen] = useState(open);
  if (open !== wasOpen) {
    setWasOpen(open);
    if (open) setTitle(chat.title);
  }
  const save = () => (title.trim() ? onSave(title.trim()) : undefined);
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Rename chat"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" disabled={title.trim() === ""} onClick={save}>Rename</Button>
        </>
      }
    >
      <TextField label="Title" value={title} maxLength={MOST_TITLE_LETTERS} onChange={setTitle} onKey={(event) => (event.key === "Enter" ? save() : undefined)} error={failed ?? undefined} />
    </Dialog>
  );
}

function DeleteDialog({ open, chat, failed, onClose, onDelete }: DialogProps & { onDelete: () => void }) {
  const cancel = useRef<HTMLButtonElement>(null);
  return (
    <AlertDialog
      open={open}
      onClose={onClose}
      title="Delete this chat?"
      text={<>“<bdi>{chat.title}</bdi>” and everything said in it is removed from Paddock. Files in the folder stay as they are. This cannot be undone.</>}
      initialFocus={cancel}
      actions={
        <>
          <Button ref={cancel} onClick={onClose}>Cancel</Button>
          <Button tone="danger" onClick={onDelete}>Delete</Button>
        </>
      }
    >
      {failed ? <Notice tone="error" live title="Not deleted">{failed}</Notice> : null}
    </AlertDialog>
  );
}
