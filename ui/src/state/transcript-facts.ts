// What a turn did, counted from its rows: the receipt under it.
import type { Row, TurnFacts } from "./transcript-rows";

function hostOf(target: string): string | null {
  try {
    return new URL(target).host || null;
  } catch {
    return null; // search words, not an address
  }
}

/** Counts a turn's steps. Only rows that are loaded count. */
export function turnFacts(rows: readonly (Row | null)[], turn: string | null): TurnFacts {
  const files = new Set<string>();
  const hosts = new Set<string>();
  let commands = 0;
  let decisions = 0;
  let unasked = 0;
  let failed = 0;
  let denied = 0;
  const visit = (row: Row | null) => {
    if (!row || row.turn !== turn) return;
    if (row.kind === "decision") decisions += 1;
    if (row.kind === "task") row.children.forEach(visit);
    if (row.kind !== "tool") return;
    if (row.unasked) unasked += 1;
    if (row.state === "failed") failed += 1;
    if (row.state === "denied") denied += 1;
    // What was denied did not happen.
    if (row.state === "denied") return;
    if (row.detail?.kind === "command") commands += 1;
    if (row.detail?.kind === "write" || row.detail?.kind === "edit") files.add(row.detail.path);
    if (row.detail?.kind === "fetch") {
      const host = hostOf(row.detail.target);
      if (host) hosts.add(host);
    }
  };
  rows.forEach(visit);
  return { commands, files: [...files], hosts: [...hosts], decisions, unasked, failed, denied };
}
