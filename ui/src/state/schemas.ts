/** The schema that a draft asks an answer by, and the last one used there. Kept by the window. */
import { useCallback, useState } from "react";
import { dropDraft, keepDraft, readDraft } from "./preference";

export interface AskedSchema {
  /** The last schema, as it was written. Empty: none yet. */
  text: string;
  /** The next prompt asks for it. */
  on: boolean;
}

const NONE: AskedSchema = { text: "", on: false };
const key = (place: string) => `schema.${place}`;

export function readSchema(place: string): AskedSchema {
  const { text, on } = readDraft(key(place), NONE);
  return typeof text === "string" && typeof on === "boolean" ? { text, on } : NONE;
}

export function keepSchema(place: string, asked: AskedSchema): void {
  if (asked.text === "") dropDraft(key(place));
  else keepDraft(key(place), asked);
}

/** The schema of one draft. Give its component a key of the place. */
export function useSchema(place: string): [AskedSchema, (next: AskedSchema) => void] {
  const [asked, setAsked] = useState(() => readSchema(place));
  const change = useCallback(
    (next: AskedSchema) => {
      setAsked(next);
      keepSchema(place, next);
    },
    [place],
  );
  return [asked, change];
}
