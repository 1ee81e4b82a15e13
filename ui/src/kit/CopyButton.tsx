import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "./Button";

/** How long the button says that it has copied (ms). */
export const COPIED_FOR_MS = 1_600;

export function CopyButton({ text, label = "Copy", tone = "ghost" }: { text: string; label?: string; tone?: "ghost" | "plain" }) {
  const [state, setState] = useState<"idle" | "copied" | "refused">("idle");
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), COPIED_FOR_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setState("copied"),
      () => setState("refused"),
    );
  };
  return (
    <Button tone={tone} size="sm" icon={state === "copied" ? <Check /> : <Copy />} onClick={copy}>
      <span aria-live="polite">{state === "copied" ? "Copied" : state === "refused" ? "Not copied: the clipboard refused" : label}</span>
    </Button>
  );
}
