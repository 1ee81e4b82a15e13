// Whether the end of something has been on screen. Once seen, it stays seen for the same content.
import { type RefObject, useEffect, useRef, useState } from "react";

/** Returns a ref for the end mark and whether it was seen. `ready` is false while the content is still loading. */
export function useSeenToEnd(content: string, ready: boolean): { end: RefObject<HTMLDivElement | null>; seen: boolean } {
  const end = useRef<HTMLDivElement | null>(null);
  const [seenOf, setSeenOf] = useState<string | null>(null);
  useEffect(() => {
    const mark = end.current;
    if (!ready || !mark || seenOf === content) return;
    return watchEnd(mark, () => setSeenOf(content));
  }, [content, ready, seenOf]);
  return { end, seen: ready && seenOf === content };
}

/** Tells once the mark is in the window, and not under the answers where those float over the card. */
function watchEnd(mark: HTMLElement, seen: () => void): () => void {
  const card = mark.closest<HTMLElement>("[data-decision]");
  const answers = card?.querySelector<HTMLElement>("footer");
  const floats = answers ? getComputedStyle(answers).position === "sticky" : false;
  const inside = { window: false, card: !floats };
  const watch = (where: "window" | "card", options: IntersectionObserverInit) => {
    // Clipping by scrolled boxes on the way up to the root counts.
    const observer = new IntersectionObserver((entries) => {
      inside[where] = entries.at(-1)?.isIntersecting ?? false;
      if (inside.window && inside.card) seen();
    }, options);
    observer.observe(mark);
    return observer;
  };
  const observers = [watch("window", {})];
  if (floats && card && answers) observers.push(watch("card", { root: card, rootMargin: `0px 0px -${answers.offsetHeight}px 0px` }));
  return () => observers.forEach((observer) => observer.disconnect());
}
