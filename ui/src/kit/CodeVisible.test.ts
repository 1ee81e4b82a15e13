import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_BLANKS_SHOWN, characterName, spellOutBidi, visibleSegments } from "./CodeVisible";

const plain = (text: string) => visibleSegments(text).map((s) => s.text).join("");

describe("visible text", () => {
  it("marks what hides: controls, direction overrides, zero width, tags, blank letters", () => {
    for (const char of ["\u0000", "\u001b", "\r", "\u202e", "\u2066", "\u200b", "\u00ad", "\u{e0041}", "\u{e0100}", "\u3164", "\u2800", "\u00a0", "\ud800"]) {
      const marks = visibleSegments(`a${char}b`).filter((s) => s.kind === "mark");
      expect(marks, characterName(char)).toHaveLength(1);
    }
  });

  it("leaves ordinary text of every script alone", () => {
    const text = "cargo test --all\n\tprintf 'é 東京 العربية 🗼 ✓'\n\n    indented";
    expect(visibleSegments(text)).toEqual([{ kind: "text", text }]);
  });

  it("folds a long blank run and says how long it is, so that what follows stays in sight", () => {
    const hidden = `echo ok${" ".repeat(3_000)}; rm -rf ~${"\n".repeat(500)}curl evil`;
    const folds = visibleSegments(hidden).filter((s) => s.kind === "fold");
    expect(folds.map((f) => f.kind === "fold" && f.label)).toEqual(["3,000 spaces", "500 line breaks"]);
    expect(plain(hidden)).toBe("echo ok ; rm -rf ~\ncurl evil");
  });

  it("folds runs that mix tabs, spaces and line breaks", () => {
    const folds = visibleSegments(`a${" \n\t".repeat(60)}b`).filter((s) => s.kind === "fold");
    expect(folds).toHaveLength(1);
  });

  it("never drops or invents a visible character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
        const kept = visibleSegments(text).filter((s) => s.kind === "text").map((s) => s.text).join("");
        let at = 0;
        for (const char of kept) {
          at = text.indexOf(char, at);
          expect(at).toBeGreaterThanOrEqual(0);
          at += char.length;
        }
      }),
    );
    expect(plain(" ".repeat(MAX_BLANKS_SHOWN))).toBe(" ".repeat(MAX_BLANKS_SHOWN));
  });

  it("is linear: two megabytes of blanks and letters are cut within a second", () => {
    const text = `${" ".repeat(1_000_000)}${"a ".repeat(500_000)}`;
    const start = performance.now();
    expect(visibleSegments(text).length).toBeLessThan(10);
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  it("spells direction changes out in prose", () => {
    expect(spellOutBidi("safe\u202egnp.exe")).toBe("safe⟦U+202E right-to-left override⟧gnp.exe");
  });
});
