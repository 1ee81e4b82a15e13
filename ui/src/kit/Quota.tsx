// The windows of an account's quota as bars.
import { useId } from "react";
import { type AccountUsage, type AccountWindow, NEARLY_USED_PERCENT, resetWords, usedWords, windowName } from "./quota";
import styles from "./Quota.module.css";
import { useNow } from "./time";

export function Quota({ usage }: { usage: AccountUsage }) {
  const { credits } = usage;
  if (usage.windows.length === 0 && !credits) return <span className={styles.none}>The provider told no limits.</span>;
  return (
    <ul className={styles.windows}>
      {usage.windows.map((window) => <Window key={window.id} window={window} />)}
      {credits ? (
        <li className={styles.window}>
          <span className={styles.name}>Credits</span>
          <span className={styles.used}>{credits.unlimited ? "no limit" : (credits.balance ?? "unknown")} {credits.balance && !credits.unlimited ? credits.currency : ""}</span>
        </li>
      ) : null}
    </ul>
  );
}

function Window({ window }: { window: AccountWindow }) {
  const id = useId();
  const now = useNow();
  const share = window.exhausted ? 100 : window.used_percent === null ? null : Math.min(100, Math.max(0, window.used_percent));
  const resets = resetWords(window, now);
  return (
    <li className={styles.window}>
      <span id={id} className={styles.name}>{windowName(window)}</span>
      {share === null ? null : (
        <span className={styles.track} role="meter" aria-labelledby={id} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(share)} data-full={share >= NEARLY_USED_PERCENT || undefined}>
          <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect width={share} height="4" /></svg>
        </span>
      )}
      <span className={styles.used}>{usedWords(window)}</span>
      {resets ? <span className={styles.resets}>{resets}</span> : null}
    </li>
  );
}
