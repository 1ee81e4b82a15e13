import { describe, expect, it } from "vitest";
import { parseLimit } from "./limit";

const bounds = { least: 1, most: 64, optional: false };

describe("a limit", () => {
  it("takes both edges and nothing beyond", () => {
    expect(parseLimit("1", bounds)).toEqual({ ok: true, value: 1 });
    expect(parseLimit(" 64 ", bounds)).toEqual({ ok: true, value: 64 });
    for (const text of ["0", "65", "-1", "1.5", "1e3", "x", "9999999"]) expect(parseLimit(text, bounds).ok, text).toBe(false);
  });

  it("may be empty only where that means never", () => {
    expect(parseLimit("", bounds).ok).toBe(false);
    expect(parseLimit(" ", { ...bounds, optional: true })).toEqual({ ok: true, value: null });
  });
});
