// How a turn ended: a receipt that unfolds, or what went wrong, what it means for the work, and the next step.
import { TriangleAlert } from "lucide-react";
import { useContext, useState } from "react";
import { Button } from "../../../kit/Button";
import { CopyButton } from "../../../kit/CopyButton";
import type { DeliveryState, Failure } from "../../../state/transcript-events";
import type { EndingRow } from "../../../state/transcript-rows";
import { LastTurn, useRowActions } from "./context";
import { Receipt } from "./Receipt";
import styles from "./Rows.module.css";

const MEANS: Record<DeliveryState, string> = {
  not_sent: "Your message did not reach the agent. Nothing was done; sending again is safe.",
  possibly_sent: "Your message may have reached the agent. Look at the folder before you send it again.",
  accepted: "The agent had begun. What it did up to here is kept.",
};
/** What a restart in the middle means, by what had reached the agent. */
const RESTARTED: Record<DeliveryState, string> = {
  not_sent: "Your message had not been sent. Nothing was done; send it again when you like.",
  possibly_sent: "Your message was possibly sent: the agent may have begun. Look at the folder first, then go on or send it again.",
  accepted: "The agent had begun, and what it did by then is kept.",
};

export function Ending({ row }: { row: EndingRow }) {
  const Shown = row.status === "failed" ? Failed : row.status === "interrupted" ? Interrupted : Receipt;
  return (
    <div data-testid="row-end" data-status={row.status}>
      <Shown row={row} />
    </div>
  );
}

function Again({ row }: { row: EndingRow }) {
  const actions = useRowActions();
  const last = useContext(LastTurn);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<string | null>(null);
  if (last === null || last !== row.turn) return null;
  const go = async (way: "continue" | "again") => {
    setBusy(true);
    setFailed(null);
    try {
      await actions.goOn(last, way);
    } catch (error) {
      setFailed(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  return (
    <div className={styles.again}>
      {row.delivery !== "not_sent" && <Button size="sm" busy={busy} onClick={() => void go("continue")}>Continue</Button>}
      <Button size="sm" busy={busy} onClick={() => void go("again")}>Send again</Button>
      {failed && <span className={styles.problem} role="alert">{failed}</span>}
    </div>
  );
}

function details(row: EndingRow, failure: Failure | null): string {
  return JSON.stringify({ turn: row.turn, status: row.status, at: new Date(row.at).toISOString(), delivery: row.delivery, failure }, null, 2);
}

function Failed({ row }: { row: EndingRow }) {
  const { failure } = row;
  return (
    <div>
      <Receipt row={row} />
      <section className={styles.problemCard} aria-label="The turn failed">
        <TriangleAlert className={styles.problemIcon} aria-hidden="true" data-glyph />
        <div className={styles.problemBody}>
          <h2 className={styles.problemTitle}>{failure?.message || "The turn failed"}</h2>
          <p>{MEANS[row.delivery]}</p>
          {failure?.next_step && <p className={styles.next}>{failure.next_step}</p>}
          {failure?.retry_at != null && !/\d:\d\d/.test(failure.next_step) && <p>The limit ends at {new Date(failure.retry_at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}.</p>}
          <p className={styles.problemMeta}>
            {[failure?.kind, failure?.code, failure?.exit_code == null ? null : `exit code ${failure.exit_code}`].filter(Boolean).join(" · ")}{" "}
            <CopyButton text={() => details(row, failure)} label="Copy details" look="small" />
          </p>
          <Again row={row} />
        </div>
      </section>
    </div>
  );
}

function Interrupted({ row }: { row: EndingRow }) {
  return (
    <div>
      <Receipt row={row} />
      <div className={styles.interrupted}>
        {row.restart && <p>{RESTARTED[row.delivery]} Nothing is sent again by itself.</p>}
        <Again row={row} />
      </div>
    </div>
  );
}
