// Messages that wait for the running turn: readable, editable, removable, and honest about standing still.
import { Pencil, Play, Trash2 } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { QueuedPrompt as Queued } from "../../host";
import { Button } from "../../kit/Button";
import { useIme } from "../../kit/ime";
import { schemaName, SentFiles } from "../../prompt";
import styles from "./Composer.module.css";

export type QueuedPrompt = Pick<Queued, "id" | "text"> & Partial<Pick<Queued, "attachments" | "schema">>;

interface Props {
  queue: readonly QueuedPrompt[];
  paused: string | null;
  onResume: () => void;
  onEdit: (id: string, text: string) => Promise<void>;
  onRemove: (id: string) => Promise<void>;
}

export function QueueList({ queue, paused, onResume, onEdit, onRemove }: Props) {
  const [editing, setEditing] = useState<string | null>(null);
  if (queue.length === 0) return null;
  return (
    <div className={styles.queue} data-paused={paused !== null || undefined}>
      <div className={styles.queueHead}>
        <h2 className={styles.queueTitle}>
          {queue.length === 1 ? "1 message waits" : `${queue.length} messages wait`}
          {paused !== null && <span className={styles.pausedWord}> · paused: {paused}</span>}
        </h2>
        {paused !== null && (
          <Button size="sm" icon={<Play />} onClick={onResume}>
            Resume
          </Button>
        )}
      </div>
      <ol className={styles.queueItems}>
        {queue.map((item) => (
          <li key={item.id} className={styles.queueItem}>
            {editing === item.id ? (
              <QueueEdit
                text={item.text}
                onDone={async (text) => {
                  if (text !== null && text !== item.text) await onEdit(item.id, text);
                  setEditing(null);
                }}
              />
            ) : (
              <>
                <div className={styles.queueBody}>
                  <span className={styles.queueText}>{item.text}</span>
                  {item.schema ? <span className={styles.queueSchema}>Asks for an answer by schema: {schemaName(item.schema)}</span> : null}
                  <SentFiles files={item.attachments ?? []} compact />
                </div>
                <button type="button" className={styles.queueTool} aria-label="Edit this message" onClick={() => setEditing(item.id)}>
                  <Pencil aria-hidden="true" />
                </button>
                <button type="button" className={styles.queueTool} aria-label="Remove this message" onClick={() => void onRemove(item.id)}>
                  <Trash2 aria-hidden="true" />
                </button>
              </>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

function QueueEdit({ text, onDone }: { text: string; onDone: (text: string | null) => Promise<void> }) {
  const [value, setValue] = useState(text);
  const [failed, setFailed] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const ime = useIme();
  useEffect(() => field.current?.focus(), []);
  const save = async () => {
    if (value.trim() === "") return;
    try {
      await onDone(value);
    } catch (error) {
      setFailed(error instanceof Error ? error.message : String(error));
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (ime.composing(event)) return;
    if (event.key === "Escape") {
      event.preventDefault();
      void onDone(null);
    }
    if (event.key === "Enter" && !event.shiftKey && !event.repeat) {
      event.preventDefault();
      void save();
    }
  };
  return (
    <div className={styles.queueEdit}>
      <textarea
        ref={field}
        className={styles.queueField}
        aria-label="Waiting message"
        rows={2}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        onKeyDown={onKeyDown}
        {...ime.handlers}
      />
      {failed && <p className={styles.failed} role="alert">{failed}</p>}
      <Button size="sm" tone="ghost" onClick={() => void onDone(null)}>Cancel</Button>
      <Button size="sm" onClick={() => void save()} disabled={value.trim() === ""}>Save</Button>
    </div>
  );
}
