// A payload that was cut: its beginning, and the whole on demand.
import { type ReactNode, useState } from "react";
import { Button } from "../../../kit/Button";
import type { PayloadRef } from "../../../state/transcript-rows";
import { size } from "../words";
import { useRowActions } from "./context";
import styles from "./Rows.module.css";

export function Whole({ text, truncated, children }: { text: string; truncated: PayloadRef | null; children: (text: string) => ReactNode }) {
  const actions = useRowActions();
  const [whole, setWhole] = useState<string | null>(null);
  const [state, setState] = useState<"idle" | "loading" | { failed: string }>("idle");
  const load = async () => {
    if (!truncated) return;
    setState("loading");
    try {
      setWhole(await actions.payload(truncated.seq, truncated.part));
      setState("idle");
    } catch (error) {
      setState({ failed: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <>
      {children(whole ?? text)}
      {truncated && whole === null && (
        <div className={styles.more}>
          <Button size="sm" tone="ghost" busy={state === "loading"} onClick={() => void load()}>
            {state === "loading" ? "Reading…" : `Show all ${size(truncated.bytes)}`}
          </Button>
          {typeof state === "object" && <span className={styles.problem} role="alert">Could not be read: {state.failed}</span>}
        </div>
      )}
    </>
  );
}
