import { Select as Base } from "@base-ui/react/select";
import { Check, ChevronsUpDown } from "lucide-react";
import { useId } from "react";
import { cx } from "./cx";
import field from "./Field.module.css";
import styles from "./Popup.module.css";

export interface SelectOption {
  value: string;
  label: string;
  hint?: string | undefined;
  disabled?: boolean | undefined;
}

export interface SelectProps {
  label: string;
  hideLabel?: boolean;
  value: string;
  options: SelectOption[];
  onChange: (value: string) => void;
  hint?: string | undefined;
  disabled?: boolean;
}

export function Select({ label, hideLabel, value, options, onChange, hint, disabled }: SelectProps) {
  const hintId = useId();
  const labelId = useId();
  const shown = options.find((option) => option.value === value)?.label ?? value;
  return (
    <div className={field.field}>
      <span id={labelId} className={hideLabel ? "visually-hidden" : field.label}>{label}</span>
      <Base.Root value={value} disabled={disabled} onValueChange={(next) => (typeof next === "string" ? onChange(next) : undefined)}>
        <Base.Trigger className={cx(field.control, field.trigger)} aria-labelledby={labelId} aria-describedby={hint ? hintId : undefined}>
          <span className={field.triggerText}>{shown}</span>
          <Base.Icon className={field.triggerIcon}><ChevronsUpDown aria-hidden="true" /></Base.Icon>
        </Base.Trigger>
        <Base.Portal>
          <Base.Positioner className={styles.positioner} sideOffset={4} alignItemWithTrigger={false}>
            <Base.Popup className={cx(styles.popup, styles.anchored)}>
              {options.map((option) => (
                <Base.Item key={option.value} value={option.value} disabled={option.disabled} className={styles.item}>
                  <span className={styles.itemIcon}><Base.ItemIndicator><Check aria-hidden="true" /></Base.ItemIndicator></span>
                  <span className={styles.itemBody}>
                    <Base.ItemText>{option.label}</Base.ItemText>
                    {option.hint ? <span className={styles.itemHint}>{option.hint}</span> : null}
                  </span>
                </Base.Item>
              ))}
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
      {hint ? <p id={hintId} className={field.hint}>{hint}</p> : null}
    </div>
  );
}
