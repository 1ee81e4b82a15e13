import { useEffect, useState } from "react";
import { TextField } from "../../kit/Field";
import { parseLimit } from "./limit";
import styles from "./Settings.module.css";

export interface LimitFieldProps {
  label: string;
  hint: string;
  unit: string;
  value: number | null;
  least: number;
  most: number;
  optional?: boolean;
  onChange: (value: number | null) => void;
}

/** A number with bounds; it is saved when the field is left or Enter is pressed, and never while it makes no sense. */
export function LimitField({ label, hint, unit, value, least, most, optional = false, onChange }: LimitFieldProps) {
  const [text, setText] = useState(value === null ? "" : String(value));
  useEffect(() => setText(value === null ? "" : String(value)), [value]);
  const parsed = parseLimit(text, { least, most, optional });
  const save = () => {
    if (parsed.ok && parsed.value !== value) onChange(parsed.value);
  };
  return (
    <div className={styles.row}>
      <span className={styles.text} aria-hidden="true">
        <span className={styles.name}>{label}</span>
        <span className={styles.hint}>{hint}</span>
      </span>
      <div className={styles.limit}>
        <TextField
          label={`${label}, in ${unit}. ${hint}`}
          hideLabel
          inputMode="numeric"
          value={text}
          onChange={setText}
          onBlur={save}
          onKey={(event) => (event.key === "Enter" ? save() : undefined)}
          error={parsed.ok ? undefined : parsed.why}
          className={styles.number}
        />
        <span className={styles.unit}>{unit}</span>
      </div>
    </div>
  );
}
