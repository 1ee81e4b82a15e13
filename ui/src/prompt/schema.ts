// A JSON schema as a person writes it.
import { type Json, JsonError, entryOf, parseJson, prettyJson, readJson } from "../kit/json";

/** Longest schema, in bytes; the host refuses a longer one. */
export const MAX_SCHEMA_BYTES = 64 * 1024;

export interface Preset {
  id: string;
  label: string;
  text: string;
}

const preset = (id: string, label: string, schema: object): Preset => ({ id, label, text: JSON.stringify(schema, null, 2) });

export const PRESETS: readonly Preset[] = [
  preset("yes-no", "Yes or no, with reason", {
    type: "object",
    properties: { answer: { type: "boolean" }, reason: { type: "string" } },
    required: ["answer", "reason"],
    additionalProperties: false,
  }),
  preset("list", "List of strings", {
    type: "object",
    properties: { items: { type: "array", items: { type: "string" } } },
    required: ["items"],
    additionalProperties: false,
  }),
  preset("table", "Table of rows", {
    type: "object",
    properties: {
      rows: {
        type: "array",
        items: {
          type: "object",
          properties: { name: { type: "string" }, value: { type: "string" }, note: { type: "string" } },
          required: ["name", "value"],
          additionalProperties: false,
        },
      },
    },
    required: ["rows"],
    additionalProperties: false,
  }),
];

/** Why a text is no schema that can be asked by; null: it is one. */
export function schemaTrouble(text: string): string | null {
  if (text.trim() === "") return "Write a schema, or begin with one of the three above.";
  if (new Blob([text]).size > MAX_SCHEMA_BYTES) return "The schema is longer than 64 KiB. Shorten it.";
  let value: Json;
  try {
    value = parseJson(text);
  } catch (cause) {
    if (cause instanceof JsonError) return `Line ${cause.line}, column ${cause.column}: ${cause.message}.`;
    throw cause;
  }
  return value.kind === "object" ? null : "A schema is an object: write it as { … }.";
}

/** Names of the fields that an answer by this schema has at its top. */
export function fieldsOf(text: string): string[] {
  const properties = entryOf(readJson(text), "properties");
  return properties?.kind === "object" ? properties.entries.map(([name]) => name) : [];
}

function same(left: string, right: string): boolean {
  const [one, other] = [readJson(left), readJson(right)];
  return one !== null && other !== null && prettyJson(one) === prettyJson(other);
}

export const presetOf = (text: string): Preset | null => PRESETS.find((each) => same(each.text, text)) ?? null;

/** Letters of a name that is made of a schema. */
const MOST_NAME = 80;

/** What a schema is called in a line. */
export function schemaName(text: string): string {
  const known = presetOf(text);
  if (known) return known.label.toLowerCase();
  const title = entryOf(readJson(text), "title");
  const name = title?.kind === "string" && title.value.trim() !== "" ? title.value.trim() : fieldsOf(text).join(", ");
  if (name === "") return "of your own";
  return name.length > MOST_NAME ? `${name.slice(0, MOST_NAME)}…` : name;
}
