// Parts of something very long leave the page while they are far out of sight and leave their height behind.
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Pixels beyond the visible part in which content is kept. */
const NEAR_PX = 2_500;

type Told = (near: boolean, height: number) => void;

/** One observer for each scrolling box: it tells its parts when they come near and when they go. */
const boxes = new WeakMap<Element, { observer: IntersectionObserver; told: Map<Element, Told> }>();

function boxOf(element: Element): Element | null {
  for (let parent = element.parentElement; parent; parent = parent.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(parent).overflowY)) return parent;
  }
  return null;
}

/** Whether a person holds on to it: with the focus or a selection. */
function isHeld(element: Element): boolean {
  const selection = document.getSelection();
  return element.contains(document.activeElement) || (selection !== null && !selection.isCollapsed && selection.containsNode(element, true));
}

function watch(element: Element, box: Element, tell: Told): () => void {
  let known = boxes.get(box);
  if (!known) {
    const told = new Map<Element, Told>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting, boundingClientRect } of entries) {
          if (isIntersecting || !isHeld(target)) told.get(target)?.(isIntersecting, boundingClientRect.height);
        }
      },
      { root: box, rootMargin: `${NEAR_PX}px 0px` },
    );
    known = { observer, told };
    boxes.set(box, known);
  }
  const { observer, told } = known;
  told.set(element, tell);
  observer.observe(element);
  return () => {
    told.delete(element);
    observer.unobserve(element);
  };
}

/**
 * The height to leave behind while the element is far away, else null. It may go once `settled`. `guess` is the height of
 * a part that begins far away and was never drawn; when it is drawn above what is read, the reader's place is kept.
 */
export function useFarAway(element: RefObject<HTMLElement | null>, settled: boolean, guess: () => number | null): number | null {
  const able = settled && typeof IntersectionObserver !== "undefined";
  const [left, setLeft] = useState<number | null>(able ? guess : null);
  const before = useRef(left);
  useEffect(() => {
    const box = element.current ? boxOf(element.current) : null;
    if (!able || !element.current || !box) {
      setLeft(null);
      return;
    }
    return watch(element.current, box, (near, height) => setLeft((now) => (near ? null : (now ?? height))));
  }, [element, able]);
  useLayoutEffect(() => {
    const was = before.current;
    before.current = left;
    if (was === null || left !== null || !element.current) return;
    const box = boxOf(element.current);
    const { top, height } = element.current.getBoundingClientRect();
    if (box && top + was <= box.getBoundingClientRect().top + box.clientHeight / 2) box.scrollTop += height - was;
  }, [left, element]);
  return left;
}
