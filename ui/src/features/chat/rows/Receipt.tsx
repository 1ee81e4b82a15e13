// What a turn did, in one line that unfolds. The figures come from the store, whatever of the turn is on the page.
import { useQuery } from "@tanstack/react-query";
import { Check, ChevronRight, CircleSlash, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../kit/Button";
import type { Receipt as Receipts } from "../../../state/transcript-events";
import type { EndingRow } from "../../../state/transcript-rows";
import { amount, cost, duration, totalTokens } from "../words";
import { useRowActions } from "./context";
import { ReceiptBody } from "./ReceiptBody";
import styles from "./Rows.module.css";

const count = (n: number, one: string) => (n === 0 ? null : `${n} ${one}${n === 1 ? "" : "s"}`);

/** An ended turn does not change: it is asked for once. */
function useReceipt(row: EndingRow) {
  const { chat, receipt } = useRowActions();
  return useQuery({ queryKey: ["receipt", chat, row.seq], queryFn: () => receipt(row.seq), staleTime: Number.POSITIVE_INFINITY });
}

/** The parts of the line, in the order of their weight for a reader. */
export function receiptParts(row: Pick<EndingRow, "took" | "usage">, receipt: Receipts | undefined): string[] {
  const tokens = totalTokens(row.usage);
  const counts = receipt?.counts;
  const parts = [
    counts ? count(counts.commands, "command") : null,
    counts ? count(counts.files, "file") : null,
    counts && counts.unasked > 0 ? `${counts.unasked} without asking` : null,
    counts && counts.denied > 0 ? `${counts.denied} denied` : null,
    row.took === null ? null : duration(row.took),
    tokens === null ? null : `${amount(tokens)} tokens`,
    receipt ? cost(row.usage?.cost_usd, receipt.payer) : null,
  ];
  return parts.filter((part) => part !== null);
}

const WORDS = { succeeded: "Done", failed: "Failed", interrupted: "Stopped" } as const;

export function Receipt({ row }: { row: EndingRow }) {
  const [open, setOpen] = useState(false);
  const { data, error, refetch, isFetching } = useReceipt(row);
  return (
    <div className={styles.ending} data-status={row.status} data-testid="receipt">
      <button type="button" className={styles.line} aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight className={styles.chevron} aria-hidden="true" />
        <span className={styles.state} data-state={row.status} aria-hidden="true">
          {row.status === "succeeded" ? <Check /> : row.status === "failed" ? <TriangleAlert /> : <CircleSlash />}
        </span>
        <span className={styles.verb}>{row.restart ? "Interrupted by a restart" : WORDS[row.status]}</span>
        <span className={styles.receipt}>{[...receiptParts(row, data), ...(error ? ["its steps could not be read"] : [])].join(" · ")}</span>
      </button>
      {open && data && <ReceiptBody row={row} receipt={data} />}
      {open && !data && (
        <div className={styles.toolBody} aria-busy={isFetching || undefined}>
          {error && (
            <p className={styles.problem} role="alert">
              The receipt could not be read: {error.message}. The turn is stored all the same.{" "}
              <Button size="sm" busy={isFetching} onClick={() => void refetch()}>Read again</Button>
            </p>
          )}
        </div>
      )}
    </div>
  );
}
