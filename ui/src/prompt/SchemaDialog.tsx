// Where the schema of the next answer is written.
import { useState } from "react";
import { Button } from "../kit/Button";
import { Dialog } from "../kit/Dialog";
import { TextArea } from "../kit/Field";
import { spellOutBidi } from "../kit/CodeVisible";
import { fieldsOf, presetOf, PRESETS, schemaTrouble } from "./schema";
import styles from "./Schema.module.css";

/** Fields that are named below the text. */
const MOST_FIELDS = 8;

export interface SchemaDialogProps {
  open: boolean;
  /** The last schema; empty: none. */
  text: string;
  /** The next prompt asks by it already. */
  on: boolean;
  onClose: () => void;
  onAsk: (text: string) => void;
  onStop: () => void;
}

export function SchemaDialog({ open, text, on, onClose, onAsk, onStop }: SchemaDialogProps) {
  const [value, setValue] = useState(text);
  const [wasOpen, setWasOpen] = useState(open);
  if (open !== wasOpen) {
    setWasOpen(open);
    if (open) setValue(text);
  }
  const trouble = schemaTrouble(value);
  const chosen = trouble === null ? presetOf(value)?.id : undefined;
  return (
    <Dialog
      open={open}
      onClose={onClose}
      wide
      title="Answer by a schema"
      text="The next message asks for data of this shape. The harness checks the answer before it is shown. Later messages do not ask for it."
      actions={
        <>
          {on ? <Button tone="ghost" className={styles.stop} onClick={onStop}>Do not ask</Button> : null}
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" disabled={trouble !== null} onClick={() => onAsk(value)}>{on ? "Keep" : "Ask by this schema"}</Button>
        </>
      }
    >
      <div className={styles.body}>
        <div className={styles.presets} role="group" aria-label="Begin with">
          {PRESETS.map((preset) => (
            <Button key={preset.id} size="sm" tone={chosen === preset.id ? "plain" : "ghost"} className={styles.preset} aria-pressed={chosen === preset.id} onClick={() => setValue(preset.text)}>
              {preset.label}
            </Button>
          ))}
        </div>
        <TextArea
          label="JSON schema"
          mono
          className={styles.text}
          value={value}
          minRows={9}
          maxRows={16}
          spellCheck={false}
          autoCapitalize="off"
          dir="ltr"
          placeholder={'{ "type": "object", "properties": { … } }'}
          onChange={setValue}
          error={value.trim() === "" || trouble === null ? undefined : trouble}
          hint={<Hint value={value} valid={trouble === null} />}
        />
      </div>
    </Dialog>
  );
}

function Hint({ value, valid }: { value: string; valid: boolean }) {
  if (!valid) return value.trim() === "" ? <>Write a schema, or begin with one of the three above.</> : null;
  const fields = fieldsOf(value);
  if (fields.length === 0) return <>Valid JSON. It names no fields, so any object answers it.</>;
  const shown = fields.slice(0, MOST_FIELDS).map((field) => spellOutBidi(field.slice(0, 60)));
  return <>The answer holds <bdi>{shown.join(", ")}</bdi>{fields.length > MOST_FIELDS ? ` and ${fields.length - MOST_FIELDS} more` : ""}.</>;
}
