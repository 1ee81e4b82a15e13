import { describe, expect, it } from "vitest";
import { diffCounts, diffLines, parseUnified } from "./Diff";

describe("diffs", () => {
  it("keeps three lines around a change and numbers both sides", () => {
    const before = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`).join("\n");
    const after = before.replace("line 10", "line ten");
    const lines = diffLines(before, after);
    expect(diffCounts(lines)).toEqual({ added: 1, removed: 1 });
    expect(lines.filter((l) => l.sign === " ")).toHaveLength(6);
    expect(lines.find((l) => l.sign === "-")).toMatchObject({ oldLine: 10, text: "line 10" });
    expect(lines.find((l) => l.sign === "+")).toMatchObject({ newLine: 10, text: "line ten" });
  });

  it("marks the words that changed", () => {
    const plus = diffLines("let total = price * count;", "let total = price * amount;").find((l) => l.sign === "+");
    expect(plus?.parts?.filter((p) => p.changed).map((p) => p.text)).toEqual(["amount"]);
  });

  it("shows a new file as added lines", () => {
    expect(diffLines("", "a\nb\n").map((l) => l.sign + l.text)).toEqual(["+a", "+b"]);
  });

  it("reads a patch of two files and refuses what is none", () => {
    const patch = "--- a/x.rs\n+++ b/x.rs\n@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n--- a/y.rs\n+++ b/y.rs\n@@ -0,0 +1 @@\n+new\n";
    expect(parseUnified(patch)?.map((f) => [f.path, diffCounts(f.lines)])).toEqual([
      ["x.rs", { added: 1, removed: 1 }],
      ["y.rs", { added: 1, removed: 0 }],
    ]);
    expect(parseUnified("hello")).toBeNull();
  });

  it("stays quick on two large, unlike texts", () => {
    const make = (seed: number) => Array.from({ length: 8_000 }, (_, i) => `${(i * seed) % 9_973}`).join("\n");
    const start = performance.now();
    expect(diffLines(make(7), make(13)).length).toBeGreaterThan(8_000);
    expect(performance.now() - start).toBeLessThan(3_000);
  });
});
