import { useEffect, useRef, useState } from "react";
import { useLive } from "../state/live";

/**
 * Tells a reader, once, that a chat which is not on screen needs a person. The chat on screen speaks for itself. What was
 * open when the window opened says nothing.
 */
export function Elsewhere({ chatId }: { chatId: string | null }) {
  const decisions = useLive((state) => state.decisions);
  const known = useLive((state) => state.known);
  const told = useRef<Set<string> | null>(null);
  const [text, setText] = useState("");
  useEffect(() => {
    if (!known) return;
    const before = told.current;
    told.current = new Set(decisions.keys());
    if (before === null) return;
    const fresh = [...decisions.values()].filter(({ id, state, blocking, chat }) => state === "open" && blocking && chat !== chatId && !before.has(id));
    if (fresh.length > 0) setText(fresh.length === 1 ? `${fresh[0]?.chat_title ?? "A chat"} needs you` : `${fresh.length} decisions wait for you`);
  }, [decisions, known, chatId]);
  return <div role="status" className="visually-hidden">{text}</div>;
}
