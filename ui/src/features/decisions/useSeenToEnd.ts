// Whether the end of something has been on screen. Once seen, it stays seen for the same content.
import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** Returns a ref for the end mark and whether it was seen. `ready` is false while the content is still loading. */
export function useSeenToEnd(content: string, ready: boolean): { end: RefObject<HTMLDivElement | null>; seen: boolean } {
  const end = useRef<HTMLDivElement | null>(null);
  const [seenOf, setSeenOf] = useState<string | null>(null);
  // An observer is told late while the page is busy: what fits is looked at as it is drawn, and the observer is for the rest.
  useLayoutEffect(() => {
    const mark = end.current;
    if (!ready || !mark || seenOf === content) return;
    if (!onScreen(mark)) return watchEnd(mark, () => setSeenOf(content));
    setSeenOf(content);
    return undefined;
  }, [content, ready, seenOf]);
  return { end, seen: ready && seenOf === content };
}

/** The answers of a card, where they float over what it shows. */
function floating(mark: HTMLElement): { card: HTMLElement; answers: HTMLElement } | null {
  const card = mark.closest<HTMLElement>("[data-decision]");
  const answers = card?.querySelector<HTMLElement>("footer");
  return card && answers && getComputedStyle(answers).position === "sticky" ? { card, answers } : null;
}

/** Whether the mark can be seen now: inside the window and every scrolled box around it, and under nothing that floats. */
function onScreen(mark: HTMLElement): boolean {
  const { top, bottom, width } = mark.getBoundingClientRect();
  if (document.visibilityState === "hidden" || width === 0 || top < 0 || bottom > window.innerHeight + 1) return false;
  for (let box = mark.parentElement; box; box = box.parentElement) {
    if (getComputedStyle(box).overflowY === "visible") continue;
    const frame = box.getBoundingClientRect();
    if (top < frame.top - 1 || bottom > frame.bottom + 1) return false;
  }
  const over = floating(mark);
  return over === null || bottom <= over.answers.getBoundingClientRect().top + 1;
}

/** Tells once the mark is in the window, and not under the answers where those float over the card. */
function watchEnd(mark: HTMLElement, seen: () => void): () => void {
  const over = floating(mark);
  const inside = { window: false, card: over === null };
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
  if (over) observers.push(watch("card", { root: over.card, rootMargin: `0px 0px -${over.answers.offsetHeight}px 0px` }));
  return () => observers.forEach((observer) => observer.disconnect());
}
