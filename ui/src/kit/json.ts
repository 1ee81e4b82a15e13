// JSON as it was written: numbers keep their digits, keys their order, and an error has a place. Engines name that place
// in words of their own, or not at all.

export type Json =
  | { kind: "object"; entries: ReadonlyArray<readonly [string, Json]> }
  | { kind: "array"; items: readonly Json[] }
  | { kind: "string"; value: string }
  /** A number, `true`, `false` or `null`, letter by letter. */
  | { kind: "number" | "boolean" | "null"; raw: string };

/** Depth from which a text is refused. */
export const MAX_JSON_DEPTH = 64;

export class JsonError extends Error {
  readonly line: number;
  readonly column: number;
  constructor(text: string, at: number, message: string) {
    super(message);
    this.name = "JsonError";
    const before = text.slice(0, at);
    this.line = before.split("\n").length;
    this.column = at - before.lastIndexOf("\n");
  }
}

const BLANK = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/** Reads a whole text. Throws a `JsonError`. */
export function parseJson(text: string): Json {
  let at = 0;
  const fail = (message: string, where = at): never => {
    throw new JsonError(text, where, message);
  };
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? null;
    if (found !== null) at += found.length;
    return found;
  };
  const next = (): string => {
    take(BLANK);
    return text[at] ?? "";
  };
  const string = (): string => {
    const start = at;
    const found = take(STRING);
    if (found !== null) return JSON.parse(found) as string;
    const end = text.indexOf("\n", start);
    return fail(text.indexOf('"', start + 1) < 0 || (end >= 0 && text.indexOf('"', start + 1) > end) ? "this text has no closing quote" : "this text holds a character that must be escaped", start);
  };
  const object = (depth: number): Json => {
    const entries: Array<readonly [string, Json]> = [];
    at += 1;
    if (next() !== "}") {
      for (;;) {
        if (next() !== '"') fail(text[at] === "}" ? "the comma before it is one too many" : text[at] === "'" ? "a name stands in double quotes" : "a name in double quotes belongs here");
        const name = string();
        if (next() !== ":") fail("a colon belongs here");
        at += 1;
        entries.push([name, value(depth)]);
        if (next() === "}") break;
        if (text[at] !== ",") fail(text[at] === undefined ? "the closing } is missing" : "a comma or } belongs here");
        at += 1;
      }
    }
    at += 1;
    return { kind: "object", entries };
  };
  const array = (depth: number): Json => {
    const items: Json[] = [];
    at += 1;
    if (next() !== "]") {
      for (;;) {
        if (next() === "]") fail("the comma before it is one too many");
        items.push(value(depth));
        if (next() === "]") break;
        if (text[at] !== ",") fail(text[at] === undefined ? "the closing ] is missing" : "a comma or ] belongs here");
        at += 1;
      }
    }
    at += 1;
    return { kind: "array", items };
  };
  const value = (depth: number): Json => {
    if (depth > MAX_JSON_DEPTH) fail("this is nested too deeply");
    const first = next();
    if (first === "{") return object(depth + 1);
    if (first === "[") return array(depth + 1);
    if (first === '"') return { kind: "string", value: string() };
    const number = take(NUMBER);
    if (number !== null) return { kind: "number", raw: number };
    const word = take(WORD);
    if (word !== null) return { kind: word === "null" ? "null" : "boolean", raw: word };
    return fail(first === "" ? "the text ends too early" : "a value belongs here");
  };
  const whole = value(0);
  if (next() !== "") fail("nothing may follow the end");
  return whole;
}

/** The value, or null for a text that is no JSON. */
export function readJson(text: string): Json | null {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** With two blanks a level, digits and order as they were. */
export function prettyJson(value: Json, indent = ""): string {
  const deeper = `${indent}  `;
  switch (value.kind) {
    case "object":
      if (value.entries.length === 0) return "{}";
      return `{\n${value.entries.map(([name, each]) => `${deeper}${JSON.stringify(name)}: ${prettyJson(each, deeper)}`).join(",\n")}\n${indent}}`;
    case "array":
      if (value.items.length === 0) return "[]";
      return `[\n${value.items.map((each) => deeper + prettyJson(each, deeper)).join(",\n")}\n${indent}]`;
    case "string":
      return JSON.stringify(value.value);
    default:
      return value.raw;
  }
}

/** The entry of an object with this name; the last one, as readers of JSON take it. */
export function entryOf(value: Json | null, name: string): Json | null {
  return (value?.kind === "object" ? value.entries.findLast(([each]) => each === name)?.[1] : null) ?? null;
}
