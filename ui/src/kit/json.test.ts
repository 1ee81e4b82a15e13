import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { entryOf, JsonError, MAX_JSON_DEPTH, parseJson, prettyJson, readJson } from "./json";

const where = (text: string) => {
  try {
    parseJson(text);
  } catch (cause) {
    if (cause instanceof JsonError) return `${cause.line}:${cause.column} ${cause.message}`;
    throw cause;
  }
  return null;
};

describe("reading JSON", () => {
  it("takes what the engine takes, and means the same by it", () => {
    fc.assert(fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(JSON.parse(prettyJson(parseJson(text)))).toEqual(JSON.parse(text));
    }));
  });

  it("refuses what the engine refuses", () => {
    fc.assert(fc.property(fc.stringMatching(/^[[\]{}:,"\\a1.eE+\- \n]{0,12}$/), (text) => {
      let engine = true;
      try {
        JSON.parse(text);
      } catch {
        engine = false;
      }
      expect(where(text) === null).toBe(engine);
    }), { numRuns: 500 });
  });

  it("keeps digits, the order of names, doubled names, and names that mean something to the engine", () => {
    const text = '{"b":12345678901234567890,"1":1.50,"__proto__":{"x":1},"b":null}';
    expect(prettyJson(parseJson(text)).replace(/\s/g, "")).toBe(text);
    expect(entryOf(readJson(text), "b")).toEqual({ kind: "null", raw: "null" });
  });

  it.each([
    ["", "1:1 the text ends too early"],
    ['{\n  "a": 1,\n}', "3:1 the comma before it is one too many"],
    ['{\n  "a": 1\n  "b": 2\n}', "3:3 a comma or } belongs here"],
    ["{a: 1}", "1:2 a name in double quotes belongs here"],
    ["{'a': 1}", "1:2 a name stands in double quotes"],
    ['{"a" 1}', "1:6 a colon belongs here"],
    ['{"a": "b', "1:7 this text has no closing quote"],
    ['{"a": "b\n"}', "1:7 this text has no closing quote"],
    ['{"a": "\\x"}', "1:7 this text holds a character that must be escaped"],
    ["[1,]", "1:4 the comma before it is one too many"],
    ["[1", "1:3 the closing ] is missing"],
    ["{} x", "1:4 nothing may follow the end"],
    ["undefined", "1:1 a value belongs here"],
  ])("says where %j is wrong", (text, says) => expect(where(text)).toBe(says));

  it("refuses a depth that would break the reader", () => {
    expect(where("[".repeat(100_000))).toMatch(/nested too deeply/);
    expect(where("[".repeat(MAX_JSON_DEPTH) + "]".repeat(MAX_JSON_DEPTH))).toBeNull();
  });
});
