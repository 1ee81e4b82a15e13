import { age, useNow } from "./time";

/** How long ago; the exact moment is in the title. */
export function Age({ since, className }: { since: number; className?: string }) {
  const at = useNow();
  return (
    <time className={className} dateTime={new Date(since).toISOString()} title={new Date(since).toLocaleString()} style={{ fontVariantNumeric: "tabular-nums" }}>
      {age(since, at)}
    </time>
  );
}
