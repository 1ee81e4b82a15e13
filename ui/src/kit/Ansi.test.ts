import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ansiSpans, cleanAnsi } from "./Ansi";

describe("terminal output", () => {
  it("maps colours on the eight token colours", () => {
    const { spans } = ansiSpans("\u001b[1;31merror\u001b[0m: \u001b[38;5;46mok\u001b[0m \u001b[38;2;20;30;240mblue\u001b[m \u001b[92mbright\u001b[0m");
    expect(spans.map((s) => [s.text, s.fg, s.bold])).toEqual([
      ["error", "red", true],
      [": ", null, false],
      ["ok", "green", false],
      [" ", null, false],
      ["blue", "blue", false],
      [" ", null, false],
      ["bright", "green", false],
    ]);
  });

  it("removes titles, clipboard writes, links, cursor moves and device queries, and counts them", () => {
    const text = "a\u001b]0;owned\u0007b\u001b]52;c;aGk=\u001b\\c\u001b[2J\u001b[10;10Hd\u001b]8;;http://evil/\u001b\\link\u001b]8;;\u001b\\\u001b[6n\u001bPq#0\u001b\\e\u001b[?25l";
    expect(cleanAnsi(text)).toEqual({ text: "abcdlinke", removed: 9 });
  });

  it("shows a progress line as it ended", () => {
    expect(cleanAnsi("10%\r20%\r100% done\r\nnext\r\n").text).toBe("100% done\nnext\n");
  });

  it("shows concealed text", () => {
    expect(ansiSpans("\u001b[8mhidden\u001b[0m").spans.map((s) => s.text).join("")).toBe("hidden");
  });

  it("leaves no control character in any span, whatever comes in", () => {
    const piece = fc.constantFrom("\u001b", "[", "]", "31", "m", ";", "\u0007", "\\", "x", "\n", "\u009b", "?", "\r", "P", "H", "\b");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const shown = ansiSpans(pieces.join("")).spans.map((s) => s.text).join("");
        expect(shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      }),
    );
  });
});
