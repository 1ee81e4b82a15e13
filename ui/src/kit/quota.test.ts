import { describe, expect, it } from "vitest";
import { type AccountUsage, type AccountWindow, mergedUsage, resetWords, tightest, usedWords, windowName } from "./quota";

const NOW = new Date(2026, 11, 1, 12, 0).getTime();
const window = (id: string, over: Partial<AccountWindow> = {}): AccountWindow => ({
  id, label: null, used_percent: null, resets_at: null, exhausted: false, ...over,
});
const usage = (...windows: AccountWindow[]): AccountUsage => ({ provider: "claude", plan: null, windows, credits: null });

describe("a quota in words", () => {
  it("says of a missing figure that it is not known", () => {
    expect(usedWords(window("a"))).toBe("share unknown");
    expect(usedWords(window("a", { used_percent: 0 }))).toBe("0 % used");
    expect(usedWords(window("a", { used_percent: 100, exhausted: true }))).toBe("used up");
  });

  it("names a window that has no label, and tells no reset that is past or unknown", () => {
    expect(windowName(window("seven_day"))).toBe("seven day");
    expect(resetWords(window("a"), NOW)).toBeNull();
    expect(resetWords(window("a", { resets_at: NOW - 1 }), NOW)).toBeNull();
    expect(resetWords(window("a", { resets_at: NOW + 90 * 60_000 }), NOW)).toMatch(/^resets \d{1,2}:\d{2}/);
    const later = resetWords(window("a", { resets_at: NOW + 50 * 3_600_000 }), NOW);
    expect(later).not.toMatch(/^resets \d/);
  });

  it("shows first what limits first", () => {
    expect(tightest(usage())).toBeNull();
    expect(tightest(usage(window("a"), window("b", { used_percent: 3 }), window("c", { used_percent: 91 })))?.id).toBe("c");
    expect(tightest(usage(window("c", { used_percent: 91 }), window("d", { exhausted: true })))?.id).toBe("d");
  });

  it("leaves standing what a later word is not about", () => {
    const before = { ...usage(window("a", { used_percent: 1 }), window("b", { used_percent: 2 })), plan: "max" };
    const merged = mergedUsage(before, usage(window("b", { used_percent: 9 }), window("c")));
    expect(merged.windows.map(({ id, used_percent }) => [id, used_percent])).toEqual([["a", 1], ["b", 9], ["c", null]]);
    expect(merged.plan).toBe("max");
    expect(mergedUsage(before, { ...usage(window("x")), provider: "other" }).windows).toHaveLength(1);
  });
});
