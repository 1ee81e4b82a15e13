import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MOST_PIECE_CHARS, MOST_TABLE_CHARS, NO_PIECES, type Piece, grown, piecesOf } from "./MarkdownPieces";

const whole = (text: string, final = true) => piecesOf(grown(NO_PIECES, text), final);
const plain = ({ kind, text, language, open }: Piece) => ({ kind, text, language, open });

const paragraph = fc.oneof(
  fc.constantFrom("# Head\n", "\n", "\n\n", "- one\n", "  more\n", "1. two\n", "> said\n", "| a | b |\n", "```ts\n", "```\n", "~~~~\n", "  ```\n", "    code\n", "a`b`c\n", "    \n"),
  fc.string({ maxLength: 40 }),
  fc.integer({ min: 1, max: 30 }).map((n) => `${"word ".repeat(n * 20)}\n\n`),
  fc.integer({ min: 1, max: 3 }).map((n) => "x".repeat(n * 6_000)),
);

describe("pieces of Markdown", () => {
  it("are the same however the text arrives, and lose nothing", () => {
    fc.assert(
      fc.property(fc.array(paragraph, { maxLength: 60 }), fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 1, maxLength: 20 }), (parts, sizes) => {
        const text = parts.join("");
        let state = NO_PIECES;
        for (let at = 0, i = 0; at < text.length; i += 1) {
          at += sizes[i % sizes.length] as number;
          state = grown(state, text.slice(0, at));
        }
        const once = whole(text);
        expect(piecesOf(state, true).map(plain)).toEqual(once.map(plain));
        const words = (all: string) => all.replace(/[\s`~]/g, "").replaceAll("ts", "");
        expect(words(once.map((piece) => piece.text).join(""))).toBe(words(text));
      }),
      { numRuns: 150 },
    );
  });

  it("keeps what is settled, and the last piece short, in a flood without a blank line", () => {
    let state = NO_PIECES;
    let text = "";
    for (let at = 0; at < 400; at += 1) {
      text += "The flood goes on and on, line after line.\n".repeat(10);
      const next = grown(state, text);
      expect(next.settled.slice(0, state.settled.length).every((piece, i) => piece === state.settled[i])).toBe(true);
      expect(text.length - next.from).toBeLessThanOrEqual(MOST_PIECE_CHARS);
      state = next;
    }
    expect(state.settled.length).toBeGreaterThan(10);
  });

  it("cuts a line that never ends, never through a character", () => {
    const pieces = whole("🦄".repeat(20_000));
    expect(pieces.length).toBeGreaterThan(4);
    expect(Math.max(...pieces.map(({ text }) => text.length))).toBeLessThanOrEqual(MOST_PIECE_CHARS);
    expect(pieces.some(({ text }) => /^[\udc00-\udfff]|[\ud800-\udbff]$/.test(text))).toBe(false);
  });

  it("makes a piece of its own of a block of code, of any length, and hides the end that begins", () => {
    const code = "let x = 1;\n".repeat(3_000);
    expect(whole(`Look:\n\`\`\`Rust ignore\n${code}\`\`\`\nDone`).map(plain)).toEqual([
      { kind: "prose", text: "Look:\n", language: "", open: false },
      { kind: "code", text: code.slice(0, -1), language: "rust", open: false },
      { kind: "prose", text: "Done", language: "", open: false },
    ]);
    expect(whole("```\na\n``", false)).toMatchObject([{ kind: "code", text: "a", open: true }]);
    expect(whole("```\na\n```", false)).toMatchObject([{ kind: "code", text: "a", open: false }]);
    expect(whole("   ```\n     a\n   b", false)).toMatchObject([{ kind: "code", text: "  a\nb", open: true }]);
  });

  it("leaves a short list, a table and code inside a list in one piece", () => {
    expect(whole("- a\n\n  ```\n  x\n  ```\n\n- b\n\nAfter")).toHaveLength(1);
    const table = `| a |\n| - |\n${"| some words |\n".repeat(MOST_TABLE_CHARS / 16)}`;
    expect(whole(table)).toHaveLength(1);
  });

  it("keeps what refers to each other together once it is finished", () => {
    const text = `See [the notes][n].\n\n${"word ".repeat(1_000)}\n\nMore.\n\n[n]: https://example.org\n`;
    expect(whole(text)).toHaveLength(1);
    expect(whole(text, false).length).toBeGreaterThan(1);
  });
});
