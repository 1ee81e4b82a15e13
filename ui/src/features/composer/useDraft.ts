// Unsent text, kept by the host over restarts.
import { useEffect, useMemo, useRef, useState } from "react";
import { host, hostError } from "../../host";
import { DRAFT_SAVE_MS } from "./limits";

/** Saves a draft after a rest, and at once when the chat is left or the window hides. */
export function useDraft(place: string, onTrouble: (text: string) => void) {
  const [draft, setDraft] = useState<string | null>(null);
  const waiting = useRef<{ text: string; timer: ReturnType<typeof setTimeout> } | null>(null);
  const save = useMemo(() => {
    const flush = () => {
      const next = waiting.current;
      if (!next) return;
      clearTimeout(next.timer);
      waiting.current = null;
      host.saveDraft(place, next.text).catch((cause: unknown) => onTrouble(`The draft could not be saved: ${hostError(cause).message}`));
    };
    const put = (text: string) => {
      if (waiting.current) clearTimeout(waiting.current.timer);
      waiting.current = { text, timer: setTimeout(flush, DRAFT_SAVE_MS) };
    };
    return { put, flush };
  }, [place, onTrouble]);
  useEffect(() => {
    let wanted = true;
    setDraft(null);
    host.draft(place).then(
      (text) => wanted && setDraft(text),
      (cause: unknown) => wanted && onTrouble(`The draft could not be read: ${hostError(cause).message}`),
    );
    const hide = () => document.hidden && save.flush();
    document.addEventListener("visibilitychange", hide);
    window.addEventListener("pagehide", save.flush);
    return () => {
      wanted = false;
      document.removeEventListener("visibilitychange", hide);
      window.removeEventListener("pagehide", save.flush);
      save.flush();
    };
  }, [place, save, onTrouble]);
  return { draft, save: save.put };
}
