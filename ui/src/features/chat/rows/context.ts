// What rows need from the chat around them. One stable object: it never makes a row draw again.
import { createContext, useContext } from "react";
import type { PayloadPart } from "../../../state/transcript-rows";
import type { Receipt } from "../../../state/transcript-events";

export interface RowActions {
  payload: (seq: number, part: PayloadPart) => Promise<string>;
  endTask: (task: string) => Promise<void>;
  /** The chat, as a key for what is asked for once. */
  chat: string;
  /** What the turn did that ended with this event. */
  receipt: (end: number) => Promise<Receipt>;
  /** Brings the step that this event shows on screen. */
  jump: (seq: number) => Promise<void>;
  goOn: (turn: string, way: "continue" | "again") => Promise<void>;
}
export const RowContext = createContext<RowActions | null>(null);

export function useRowActions(): RowActions {
  const actions = useContext(RowContext);
  if (!actions) throw new Error("a row stands outside a chat");
  return actions;
}

/** The turn whose ending may still be acted on: the last one, while nothing runs. */
export const LastTurn = createContext<string | null>(null);
/** The product's name of the harness. */
export const HarnessName = createContext("the harness");
