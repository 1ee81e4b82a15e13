export type Parsed = { ok: true; value: number | null } | { ok: false; why: string };

/** A whole number within its bounds, or nothing where nothing is allowed. */
export function parseLimit(text: string, { least, most, optional }: { least: number; most: number; optional: boolean }): Parsed {
  const typed = text.trim();
  if (typed === "") return optional ? { ok: true, value: null } : { ok: false, why: `A number from ${least} to ${most}` };
  if (!/^\d{1,6}$/.test(typed)) return { ok: false, why: `A whole number from ${least} to ${most}` };
  const value = Number(typed);
  return value >= least && value <= most ? { ok: true, value } : { ok: false, why: `From ${least} to ${most}` };
}
