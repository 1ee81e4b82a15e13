// A new chat that goes on from a copy of this one's conversation.
import { useState } from "react";
import { host, hostError, type ChatSummary, type HarnessCard } from "../../host";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { TextArea } from "../../kit/Field";
import { Notice } from "../../kit/Notice";
import { DropZone, handOnSchema, NEEDS_TEXT, useExtras } from "../../prompt";
import { addFiles } from "../../state/attachments";
import styles from "./Composer.module.css";
import { useDraft } from "./useDraft";

/** The draft of a fork, by the chat that is copied. */
export const forkPlace = (chat: string): string => `fork:${chat}`;

export interface ForkDialogProps {
  open: boolean;
  chat: ChatSummary;
  card: HarnessCard | undefined;
  onClose: () => void;
  onForked: (made: ChatSummary) => void;
}

export function ForkDialog({ open, chat, card, onClose, onForked }: ForkDialogProps) {
  const [busy, setBusy] = useState(false);
  return (
    <Dialog
      open={open}
      onClose={() => (busy ? undefined : onClose())}
      wide
      title="Fork this chat"
      text={<>A new chat goes on from a copy of the conversation. “<bdi>{chat.title}</bdi>” stays as it is. Both work in the same folder, so they see each other’s changes to files.</>}
    >
      <ForkForm chat={chat} card={card} busy={busy} onBusy={setBusy} onClose={onClose} onForked={onForked} />
    </Dialog>
  );
}

interface FormProps extends Omit<ForkDialogProps, "open"> {
  busy: boolean;
  onBusy: (busy: boolean) => void;
}

function ForkForm({ chat, card, busy, onBusy, onClose, onForked }: FormProps) {
  const place = forkPlace(chat.id);
  const [trouble, setTrouble] = useState<{ title: string; text: string } | null>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const { draft, save } = useDraft(place, (text) => setTrouble({ title: text, text: "You can go on; it may be lost when this window closes." }));
  const extras = useExtras(place, card);
  const text = typed ?? draft ?? "";
  const blank = text.trim() === "";
  const reason = extras.waits ?? (blank ? (extras.holds ? NEEDS_TEXT : "Write what the new chat begins with") : null);
  const fork = async () => {
    if (reason !== null || busy) return;
    const { attachments, schema, giveBack, gone } = extras.take();
    onBusy(true);
    setTrouble(null);
    try {
      const made = await host.forkChat(chat.id, { text, attachments, schema });
      gone();
      handOnSchema(schema, made.id);
      save("");
      onForked(made);
    } catch (cause) {
      giveBack();
      const { message, nextStep } = hostError(cause);
      setTrouble({ title: message, text: nextStep });
    } finally {
      onBusy(false);
    }
  };
  const change = (next: string) => {
    setTyped(next);
    save(next);
  };
  return (
    <DropZone label="Drop to attach" onFiles={(files) => addFiles(place, files)}>
      <div className={styles.fork}>
        {trouble ? <Notice tone="error" live title={trouble.title}>{trouble.text}</Notice> : null}
        <TextArea
          label="First message of the new chat"
          data-testid="fork-prompt"
          value={text}
          minRows={3}
          maxRows={10}
          placeholder="What should be different from here on?"
          spellCheck
          onChange={change}
          onPaste={(event) => (extras.onPaste(event.clipboardData) ? event.preventDefault() : undefined)}
          onKey={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.altKey || event.repeat) return;
            event.preventDefault();
            void fork();
          }}
        />
        {extras.strip}
        <div className={styles.forkRow}>
          <span className={styles.forkTools}>{extras.tools}</span>
          <span className={styles.reason} role="status">{reason}</span>
          <Button disabled={busy} onClick={onClose}>Cancel</Button>
          <Button tone="primary" data-testid="fork" disabled={reason !== null} busy={busy} onClick={() => void fork()}>{busy ? "Forking" : "Fork"}</Button>
        </div>
      </div>
    </DropZone>
  );
}
