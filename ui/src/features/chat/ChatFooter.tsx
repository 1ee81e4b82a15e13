// Below a chat: how full the context is, what was used, what it cost. Latest values, never sums of gauges.
import { useId } from "react";
import type { AccountUsage } from "../../host";
import { Age } from "../../kit/Age";
import { resetWords, tightest, usedWords, windowName } from "../../kit/quota";
import { useNow } from "../../kit/time";
import type { Latest } from "../../state/transcript-rows";
import styles from "./Chat.module.css";
import { type Payer, amount, cost, totalTokens } from "./words";

/** Share of the window from which the gauge warns. */
const NEARLY_FULL = 0.85;

export function ChatFooter({ latest, payer, extra }: { latest: Latest; payer: Payer; extra?: React.ReactNode }) {
  const id = useId();
  const { usage } = latest;
  const context = usage?.context_window ?? null;
  const share = context?.limit ? Math.min(1, context.used / context.limit) : null;
  const tokens = totalTokens(usage);
  const price = cost(usage?.cost_usd, payer);
  const live = latest.tasks.filter((task) => task.status === "running").length;
  return (
    <footer className={styles.footer}>
      {context ? (
        <span className={styles.gauge}>
          <span id={id}>Context</span>
          {share !== null && (
            <span className={styles.track} role="meter" aria-labelledby={id} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(share * 100)} data-full={share >= NEARLY_FULL || undefined}>
              <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect width={share * 100} height="4" /></svg>
            </span>
          )}
          <span className={styles.figure}>
            {context.estimated ? "≈ " : ""}{share === null ? `${amount(context.used)} tokens` : `${Math.round(share * 100)} % of ${amount(context.limit ?? 0)}`}
          </span>
        </span>
      ) : (
        <span className={styles.figure}>Context unknown</span>
      )}
      {tokens !== null && <span className={styles.figure} title="Tokens of the latest turn, cached ones included">{amount(tokens)} tokens</span>}
      {price && <span className={styles.figure}>{price}</span>}
      {latest.quota && <QuotaLine usage={latest.quota.usage} at={latest.quota.at} />}
      {live > 0 && <span className={styles.figure}>{live} background {live === 1 ? "task" : "tasks"}</span>}
      <span className={styles.footerExtra}>{extra}</span>
    </footer>
  );
}

/** The window that limits first, with when it starts anew and how old the figure is. */
function QuotaLine({ usage, at }: { usage: AccountUsage; at: number }) {
  const now = useNow();
  const window = tightest(usage);
  if (!window) return null;
  const words = [windowName(window), usedWords(window), resetWords(window, now)].filter(Boolean).join(" · ");
  return (
    <span className={styles.figure} data-full={window.exhausted || undefined} title="Quota of the account, as this chat heard of it">
      {words} (<Age since={at} />)
    </span>
  );
}
