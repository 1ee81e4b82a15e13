// Rows under a text selection stay in the page, so that scrolling and streaming do not take the selection apart.
import { type RefObject, useEffect, useState } from "react";
import type { Row } from "../../state/transcript-rows";

/** Most rows that a selection keeps in the page. */
const MAX_KEPT_ROWS = 80;
const NONE: readonly number[] = [];

function rowOf(node: Node | null, box: HTMLElement): string | null {
  const element = node instanceof Element ? node : (node?.parentElement ?? null);
  if (!element || !box.contains(element)) return null;
  return element.closest<HTMLElement>("[data-row]")?.dataset.row ?? null;
}

export function useSelectionRows(scroller: RefObject<HTMLElement | null>, rows: readonly Row[]): readonly number[] {
  const [ends, setEnds] = useState<readonly [string, string] | null>(null);
  useEffect(() => {
    const onChange = () => {
      const selection = document.getSelection();
      const box = scroller.current;
      if (!box || !selection || selection.isCollapsed) {
        setEnds(null);
        return;
      }
      const from = rowOf(selection.anchorNode, box);
      const to = rowOf(selection.focusNode, box);
      setEnds((old) => (!from || !to ? null : old && old[0] === from && old[1] === to ? old : [from, to]));
    };
    document.addEventListener("selectionchange", onChange);
    return () => document.removeEventListener("selectionchange", onChange);
  }, [scroller]);
  if (!ends) return NONE;
  const a = rows.findIndex((row) => row.id === ends[0]);
  const b = rows.findIndex((row) => row.id === ends[1]);
  if (a < 0 || b < 0) return NONE;
  const from = Math.min(a, b);
  return Array.from({ length: Math.min(Math.abs(a - b) + 1, MAX_KEPT_ROWS) }, (_, i) => from + i);
}
