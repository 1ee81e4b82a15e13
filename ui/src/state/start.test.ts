import { describe, expect, it } from "vitest";
import { seconds, stagesOf, startWords } from "./start";

describe("the start of a turn", () => {
  it("gives each stage its own time", () => {
    const start = { carrier: "fresh" as const, slot_ms: 4, process_ms: 310, first_line_ms: 900, first_text_ms: 2_400 };
    expect(stagesOf(start).map(({ ms }) => ms)).toEqual([4, 306, 590, 1_500]);
    expect(startWords(start)).toBe("waited for a slot 0.00 s · process started 0.3 s · first line 0.6 s · first text 1.5 s");
  });

  it("says nothing of what was not reached, and which process served", () => {
    expect(startWords({ carrier: "kept", slot_ms: 0, process_ms: 20, first_line_ms: null, first_text_ms: null })).toBe("waited for a slot 0.00 s · kept process took over 0.02 s");
    expect(stagesOf({ carrier: null, slot_ms: null, process_ms: null, first_line_ms: null, first_text_ms: null })).toEqual([]);
  });

  it("writes parts of a second", () => {
    expect([0, 42, 99, 100, 1_240, 9_999, 61_000].map(seconds)).toEqual(["0.00 s", "0.04 s", "0.10 s", "0.1 s", "1.2 s", "10.0 s", "61 s"]);
  });
});
