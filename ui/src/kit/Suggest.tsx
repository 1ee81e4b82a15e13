import { useEffect, useId, useImperativeHandle, useRef, useState, type KeyboardEvent, type ReactNode, type Ref, type RefObject } from "react";
import { cx } from "./cx";
import field from "./Field.module.css";
import { focusAfter } from "./focus";
import { useIme } from "./ime";
import popup from "./Popup.module.css";
import styles from "./Suggest.module.css";

export interface SuggestItem {
  /** What is put into the field. */
  value: string;
  label: ReactNode;
  hint?: ReactNode;
  end?: ReactNode;
  icon?: ReactNode;
  group?: string | undefined;
  /** Names the item when two have the same value. */
  key?: string;
}

export interface SuggestProps {
  label: string;
  hideLabel?: boolean;
  value: string;
  items: SuggestItem[];
  onChange: (value: string) => void;
  onChoose: (value: string) => void;
  /** Tab with text in the field: the longer text to put in, or null to let Tab move on. */
  onTab?: ((value: string) => string | null) | undefined;
  /** The offers for this text are still on their way: Tab waits for them, but not for long. */
  waiting?: boolean;
  hint?: ReactNode;
  error?: string | undefined;
  placeholder?: string;
  mono?: boolean;
  /** Said to a reader when the list is empty. */
  nothing?: string;
  testId?: string;
  ref?: Ref<HTMLInputElement>;
}

/** How long Tab waits for offers before it moves on (ms). */
export const TAB_WAIT_MS = 1_500;

/** Tab that was pressed before the offers for the text were there: it completes when they come, and moves on if they do not. */
function useLateTab(field: RefObject<HTMLInputElement | null>, value: string, waiting: boolean, complete: () => boolean) {
  const [pressed, setPressed] = useState<string | null>(null);
  const finish = useRef(complete);
  finish.current = complete;
  useEffect(() => {
    if (pressed === null) return;
    const go = () => {
      setPressed(null);
      if (field.current && document.activeElement === field.current && !finish.current()) focusAfter(field.current);
    };
    if (pressed !== value || document.activeElement !== field.current) setPressed(null);
    else if (!waiting) go();
    else {
      const timer = setTimeout(go, TAB_WAIT_MS);
      return () => clearTimeout(timer);
    }
    return;
  }, [pressed, value, waiting, field]);
  return () => setPressed(value);
}

/** A text field with offers below it. What is typed always stands; an offer is only ever an offer. */
export function Suggest({ label, hideLabel, value, items, onChange, onChoose, onTab, waiting = false, hint, error, placeholder, mono, nothing, testId, ref }: SuggestProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const list = useRef<HTMLDivElement>(null);
  const ime = useIme();
  const input = useRef<HTMLInputElement>(null);
  useImperativeHandle(ref, () => input.current as HTMLInputElement);
  const complete = () => {
    const longer = onTab?.(value) ?? null;
    if (longer === null) return false;
    setActive(-1);
    onChange(longer);
    return true;
  };
  const tabLater = useLateTab(input, value, waiting, complete);
  const shown = open && items.length > 0;
  const at = Math.min(active, items.length - 1);

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [at]);

  const choose = (next: string) => {
    setOpen(false);
    setActive(-1);
    onChoose(next);
  };
  const move = (event: KeyboardEvent, step: number) => {
    event.preventDefault();
    setOpen(true);
    setActive(!shown && step < 0 ? items.length - 1 : Math.min(Math.max(at + step, -1), items.length - 1));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (ime.composing(event)) return;
    if (event.key === "ArrowDown") move(event, 1);
    else if (event.key === "ArrowUp") move(event, -1);
    else if (event.key === "Enter" && shown && items[at]) {
      event.preventDefault();
      choose(items[at].value);
    } else if (event.key === "Escape" && shown) {
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    } else if (event.key === "Tab" && !event.shiftKey && onTab && open) {
      if (waiting) tabLater();
      else if (!complete()) return;
      event.preventDefault();
    }
  };
  const described = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ") || undefined;
  return (
    <div className={field.field} onBlur={(event) => (event.currentTarget.contains(event.relatedTarget) ? undefined : setOpen(false))}>
      <label htmlFor={id} className={hideLabel ? "visually-hidden" : field.label}>{label}</label>
      <div className={styles.anchor}>
        <input
          {...ime.handlers}
          id={id}
          ref={input}
          role="combobox"
          data-testid={testId}
          aria-autocomplete="list"
          aria-expanded={shown}
          aria-controls={shown ? `${id}-list` : undefined}
          aria-activedescendant={shown && at >= 0 ? `${id}-${at}` : undefined}
          aria-describedby={described}
          aria-invalid={error ? true : undefined}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          placeholder={placeholder}
          value={value}
          className={cx(field.control, mono && field.mono)}
          onFocus={() => setOpen(true)}
          onClick={() => setOpen(true)}
          onChange={(event) => {
            setOpen(true);
            setActive(-1);
            onChange(event.target.value);
          }}
          onKeyDown={onKeyDown}
        />
        {shown ? (
          <div ref={list} id={`${id}-list`} role="listbox" aria-label={label} className={cx(popup.popup, styles.list)}>
            {items.map((item, index) => (
              <div key={item.key ?? item.value} role="presentation">
                {item.group && item.group !== items[index - 1]?.group ? <div className={popup.groupLabel} role="presentation">{item.group}</div> : null}
                <div
                  id={`${id}-${index}`}
                  role="option"
                  aria-selected={index === at}
                  data-highlighted={index === at ? "" : undefined}
                  className={popup.item}
                  onPointerDown={(event) => event.preventDefault()}
                  onPointerMove={() => setActive(index)}
                  onClick={() => choose(item.value)}
                >
                  {item.icon ? <span className={popup.itemIcon} aria-hidden="true">{item.icon}</span> : null}
                  <span className={popup.itemBody}>
                    <span dir="auto">{item.label}</span>
                    {item.hint ? <span className={popup.itemHint}>{item.hint}</span> : null}
                  </span>
                  {item.end ? <span className={popup.itemEnd}>{item.end}</span> : null}
                </div>
              </div>
            ))}
          </div>
        ) : null}
      </div>
      <span role="status" className="visually-hidden">{open ? (items.length ? `${items.length} offers` : (nothing ?? "")) : ""}</span>
      {hint ? <div id={`${id}-hint`} className={field.hint}>{hint}</div> : null}
      {error ? <p id={`${id}-error`} className={field.error}>{error}</p> : null}
    </div>
  );
}
