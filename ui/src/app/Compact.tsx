import { useState } from "react";
import { host, hostError, type ChatSummary } from "../host";
import { Button } from "../kit/Button";
import { Dialog } from "../kit/Dialog";
import { TextArea } from "../kit/Field";
import { useHarnesses } from "../state/queries";
import styles from "./App.module.css";

/** Longest instructions of a compaction, in characters; the host counts bytes up to 16 KiB. */
export const MOST_INSTRUCTION_LETTERS = 4_000;

/** Has the agent summarize what was said, so that its context has room again. Shown where the harness can. */
export function Compact({ chat }: { chat: ChatSummary }) {
  const can = useHarnesses().data?.find(({ id }) => id === chat.harness)?.capabilities.compact ?? false;
  const [open, setOpen] = useState(false);
  const [keep, setKeep] = useState("");
  const [failed, setFailed] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  // A button that cannot do anything is no button: nothing was said yet, or a turn runs.
  if (!can || chat.session_id === null || chat.waits !== null) return null;
  const close = () => {
    setOpen(false);
    setFailed(null);
  };
  const start = async () => {
    setBusy(true);
    setFailed(null);
    try {
      await host.compactChat(chat.id, keep);
      setKeep("");
      close();
    } catch (cause) {
      setFailed(`${hostError(cause).message} ${hostError(cause).nextStep}`);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button tone="ghost" size="sm" className={styles.choice} onClick={() => setOpen(true)}>Compact…</Button>
      <Dialog
        open={open}
        onClose={close}
        title="Compact the context?"
        text="The agent sums up the conversation and goes on with the summary; details may be lost to it. What you read here stays whole. It takes a turn of its own."
        actions={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button tone="primary" disabled={busy} onClick={() => void start()}>Compact</Button>
          </>
        }
      >
        <TextArea
          label="What must be kept (optional)"
          placeholder="For example: the decisions about the database, and the failing test"
          value={keep}
          maxLength={MOST_INSTRUCTION_LETTERS}
          onChange={setKeep}
          error={failed ?? undefined}
        />
      </Dialog>
    </>
  );
}
