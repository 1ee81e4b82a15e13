import { CircleAlert } from "lucide-react";
import {
  useId,
  useLayoutEffect,
  useRef,
  type InputHTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
} from "react";
import { cx } from "./cx";
import styles from "./Field.module.css";
import { useIme } from "./ime";

interface FieldShape {
  label: string;
  hideLabel?: boolean;
  hint?: ReactNode;
  error?: string | undefined;
  mono?: boolean;
  /** A key that does not belong to an input method. */
  onKey?: (event: KeyboardEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
}

function useField({ hint, error }: Pick<FieldShape, "hint" | "error">) {
  const id = useId();
  const described = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ");
  return { id, described: described || undefined };
}

function Notes({ id, hint, error }: { id: string; hint: ReactNode; error: string | undefined }) {
  return (
    <>
      {hint ? <div id={`${id}-hint`} className={styles.hint}>{hint}</div> : null}
      {error ? (
        <p id={`${id}-error`} className={styles.error}>
          <CircleAlert aria-hidden="true" />
          <span>{error}</span>
        </p>
      ) : null}
    </>
  );
}

export type TextFieldProps = FieldShape &
  Omit<InputHTMLAttributes<HTMLInputElement>, "onChange" | "value"> & {
    value: string;
    onChange: (value: string) => void;
    end?: ReactNode;
    ref?: Ref<HTMLInputElement>;
  };

export function TextField({ label, hideLabel, hint, error, mono, onKey, value, onChange, end, className, ...rest }: TextFieldProps) {
  const { id, described } = useField({ hint, error });
  const ime = useIme();
  return (
    <div className={cx(styles.field, className)}>
      <label htmlFor={id} className={hideLabel ? "visually-hidden" : styles.label}>{label}</label>
      <div className={styles.box}>
        <input
          id={id}
          type="text"
          autoComplete="off"
          spellCheck={false}
          {...rest}
          {...ime.handlers}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={(event) => (ime.composing(event) ? undefined : onKey?.(event))}
          aria-describedby={described}
          aria-invalid={error ? true : undefined}
          className={cx(styles.control, mono && styles.mono, Boolean(end) && styles.withIcon)}
        />
        {end ? <span className={styles.boxEnd}>{end}</span> : null}
      </div>
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
}

export type TextAreaProps = FieldShape &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "onChange" | "value"> & {
    value: string;
    onChange: (value: string) => void;
    minRows?: number;
    maxRows?: number;
  };

/** A text area that grows with its text; WebKit has no `field-sizing`. */
export function TextArea({ label, hideLabel, hint, error, mono, onKey, value, onChange, minRows = 3, maxRows = 14, className, ...rest }: TextAreaProps) {
  const { id, described } = useField({ hint, error });
  const ime = useIme();
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const element = area.current;
    if (!element) return;
    const style = getComputedStyle(element);
    const line = Number.parseFloat(style.lineHeight) || 20;
    const frame = element.offsetHeight - element.clientHeight + Number.parseFloat(style.paddingTop) + Number.parseFloat(style.paddingBottom);
    element.style.height = "auto";
    const edges = element.offsetHeight - element.clientHeight;
    const wanted = Math.min(Math.max(element.scrollHeight + edges, line * minRows + (frame || 0)), line * maxRows + (frame || 0));
    element.style.height = `${wanted}px`;
  }, [value, minRows, maxRows]);
  return (
    <div className={cx(styles.field, className)}>
      <label htmlFor={id} className={hideLabel ? "visually-hidden" : styles.label}>{label}</label>
      <textarea
        id={id}
        rows={minRows}
        {...rest}
        {...ime.handlers}
        ref={area}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => (ime.composing(event) ? undefined : onKey?.(event))}
        aria-describedby={described}
        aria-invalid={error ? true : undefined}
        className={cx(styles.control, styles.area, mono && styles.mono)}
      />
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
}
