import { useCallback, useMemo, useRef, type KeyboardEvent } from "react";

/** How long after the end of a composition a key still belongs to it (ms): WebKit sends the closing Enter afterwards. */
export const COMPOSITION_TAIL_MS = 30;

/** The key code that browsers give to keys which the input method has taken. */
const TAKEN_BY_INPUT_METHOD = 229;

export interface Ime {
  /** To spread on the text field. */
  handlers: { onCompositionStart: () => void; onCompositionEnd: () => void };
  /** True while a key belongs to the input method; the field must then do nothing of its own. */
  composing: (event: KeyboardEvent) => boolean;
}

/**
 * The one guard of every text field that acts on a key. Someone who writes Japanese or Chinese confirms a word with
 * Enter; that Enter must never send, choose or close anything.
 */
export function useIme(now: () => number = () => performance.now()): Ime {
  const active = useRef(false);
  const endedAt = useRef(Number.NEGATIVE_INFINITY);
  const onCompositionStart = useCallback(() => {
    active.current = true;
  }, []);
  const onCompositionEnd = useCallback(() => {
    active.current = false;
    endedAt.current = now();
  }, [now]);
  const composing = useCallback(
    (event: KeyboardEvent) =>
      active.current ||
      event.nativeEvent.isComposing ||
      event.keyCode === TAKEN_BY_INPUT_METHOD ||
      now() - endedAt.current < COMPOSITION_TAIL_MS,
    [now],
  );
  return useMemo(
    () => ({ handlers: { onCompositionStart, onCompositionEnd }, composing }),
    [onCompositionStart, onCompositionEnd, composing],
  );
}
