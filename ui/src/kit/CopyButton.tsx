import { Check, Copy } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "./Button";
import styles from "./CopyButton.module.css";

/** How long the button says that it has copied (ms). */
export const COPIED_FOR_MS = 1_600;

export interface CopyButtonProps {
  /** What is copied; may be made on demand. */
  text: string | (() => string);
  label?: string;
  /** `icon` and `small` stand in a line of text, `ghost` and `plain` beside other buttons. */
  look?: "icon" | "small" | "ghost" | "plain";
}

/** A button that copies text and says so, or says that the clipboard refused. */
export function CopyButton({ text, label = "Copy", look = "ghost" }: CopyButtonProps) {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  // Its word is read out when it changes, which only a person who is on it can bring about; never because it was drawn.
  const [live, setLive] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : text());
      setState("copied");
    } catch {
      setState("failed");
    }
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setState("idle"), COPIED_FOR_MS);
  };
  const word = state === "copied" ? "Copied" : state === "failed" ? "Not copied: the clipboard refused" : label;
  const icon = state === "copied" ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />;
  const on = { onFocus: () => setLive(true), onPointerDown: () => setLive(true) };
  const spoken = live ? "polite" : undefined;
  if (look === "ghost" || look === "plain") return <Button {...on} tone={look} size="sm" icon={icon} onClick={copy}><span aria-live={spoken}>{word}</span></Button>;
  const quiet = look === "icon" && state !== "failed";
  return (
    <button type="button" className={styles.copy} onClick={copy} title={word} data-state={state} {...on}>
      {icon}
      <span className={quiet ? "visually-hidden" : undefined} aria-live={spoken}>{word}</span>
    </button>
  );
}
