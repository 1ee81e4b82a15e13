import { Radio } from "@base-ui/react/radio";
import { RadioGroup } from "@base-ui/react/radio-group";
import { Switch as Base } from "@base-ui/react/switch";
import { useId, type ReactNode } from "react";
import styles from "./Field.module.css";

export interface SwitchProps {
  label: string;
  hint?: ReactNode;
  checked: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
}

export function Switch({ label, hint, checked, disabled, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div className={styles.toggleRow}>
      <span className={styles.toggleText}>
        <span id={`${id}-label`} className={styles.label}>{label}</span>
        {hint ? <span id={`${id}-hint`} className={styles.hint}>{hint}</span> : null}
      </span>
      <Base.Root
        checked={checked}
        disabled={disabled}
        onCheckedChange={onChange}
        aria-labelledby={`${id}-label`}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className={styles.switch}
      >
        <Base.Thumb className={styles.thumb} />
      </Base.Root>
    </div>
  );
}

export interface SegmentsProps<T extends string> {
  label: string;
  value: T;
  options: Array<{ value: T; label: string; icon?: ReactNode }>;
  onChange: (value: T) => void;
}

/** One of a few, all visible. */
export function Segments<T extends string>({ label, value, options, onChange }: SegmentsProps<T>) {
  return (
    <RadioGroup aria-label={label} value={value} onValueChange={(next) => onChange(next as T)} className={styles.segments}>
      {options.map((option) => (
        <Radio.Root key={option.value} value={option.value} className={styles.segment} aria-label={option.label}>
          {option.icon}
          {option.label}
        </Radio.Root>
      ))}
    </RadioGroup>
  );
}
