// The list of rows. Virtual, stuck to its end until the reader scrolls up, and still where the reader reads.
import { ArrowDown } from "lucide-react";
import { type Ref, memo, useCallback, useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import type { Row } from "../../state/transcript-rows";
import styles from "./Chat.module.css";
import { RowView } from "./rows/RowView";
import { useSelectionRows } from "./useSelectionRows";

/** Pixels from the end that still count as the end. */
const AT_END_PX = 24;
/** Pixels from an edge at which the next page is asked for. */
const PAGE_EDGE_PX = 1_500;
/** Pixels beyond the window in which rows are drawn. */
const BUFFER_PX = 1_200;
/** Milliseconds after a wheel, key or touch in which scrolling is the reader's. */
const READER_MS = 400;

export interface ListHandle {
  toEnd: () => void;
  toRow: (id: string, align: "start" | "center") => boolean;
  /** From prompt to prompt. False when there is none loaded in that direction. */
  toPrompt: (direction: -1 | 1) => boolean;
  focus: () => void;
}

export interface MessageListProps {
  rows: readonly Row[];
  atStart: boolean;
  atEnd: boolean;
  /** Events that came while the end was not loaded. */
  missed: number;
  /** The row of a search hit. */
  hit: string | null;
  onOlder: () => void;
  onNewer: () => void;
  onToEnd: () => Promise<void>;
  onReading: (atEnd: boolean) => void;
  ref?: Ref<ListHandle>;
}

/** Rows were added or removed at the front: positions are kept from the end for this one drawing. */
function changedAtFront(before: readonly Row[], now: readonly Row[]): boolean {
  const first = before[0];
  const next = now[0];
  if (!first || !next || first.id === next.id) return false;
  return now.some((row) => row.id === first.id) || before.some((row) => row.id === next.id);
}

const Item = memo(function Item({ row, hit }: { row: Row; hit: boolean }) {
  return (
    <div className={styles.row} data-row={row.id} data-kind={row.kind} data-sequence={row.last} data-hit={hit || undefined}>
      <RowView row={row} />
    </div>
  );
});

export function MessageList(props: MessageListProps) {
  const { rows, atStart, atEnd, missed, hit } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const following = useRef(true);
  const readerUntil = useRef(0);
  const dragging = useRef(false);
  const lastOffset = useRef(0);
  const [away, setAway] = useState(false);
  const [seen, setSeen] = useState<string | null>(null);
  const before = useRef<readonly Row[]>(rows);
  const kept = useSelectionRows(scroller, rows);

  const shift = useMemo(() => changedAtFront(before.current, rows), [rows]);
  useLayoutEffect(() => {
    before.current = rows;
  }, [rows]);

  const pin = useCallback(() => {
    const box = scroller.current;
    if (box && following.current) box.scrollTop = box.scrollHeight;
  }, []);

  const follow = useCallback(
    (next: boolean) => {
      if (following.current === next) return;
      following.current = next;
      setAway(!next);
      if (!next) setSeen(before.current.at(-1)?.id ?? null);
      props.onReading(next);
    },
    // onReading is stable.
    [],
  );

  useLayoutEffect(pin, [rows, pin]);
  // Whatever grows or shrinks, the text, the window, a card above the composer: the end stays the end.
  useEffect(() => {
    const box = scroller.current;
    const inner = content.current;
    if (!box || !inner || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(pin);
    observer.observe(box);
    observer.observe(inner);
    return () => observer.disconnect();
  }, [pin]);

  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const mine = () => {
      readerUntil.current = performance.now() + READER_MS;
    };
    const down = () => {
      dragging.current = true;
    };
    const up = () => {
      if (dragging.current) mine();
      dragging.current = false;
    };
    box.addEventListener("wheel", mine, { passive: true });
    box.addEventListener("touchmove", mine, { passive: true });
    box.addEventListener("keydown", mine);
    box.addEventListener("pointerdown", down);
    window.addEventListener("pointerup", up);
    return () => {
      box.removeEventListener("wheel", mine);
      box.removeEventListener("touchmove", mine);
      box.removeEventListener("keydown", mine);
      box.removeEventListener("pointerdown", down);
      window.removeEventListener("pointerup", up);
    };
  }, []);

  const edges = () => {
    const box = scroller.current;
    if (!box) return;
    if (!atStart && box.scrollTop < PAGE_EDGE_PX) props.onOlder();
    if (!atEnd && box.scrollHeight - box.scrollTop - box.clientHeight < PAGE_EDGE_PX) props.onNewer();
  };
  // A page may be shorter than the window.
  useEffect(edges);

  const onScroll = () => {
    const box = scroller.current;
    if (!box) return;
    const offset = box.scrollTop;
    const rest = box.scrollHeight - offset - box.clientHeight;
    const reader = dragging.current || performance.now() < readerUntil.current;
    if (rest <= AT_END_PX && atEnd && (reader || following.current)) follow(true);
    else if (reader && offset < lastOffset.current) follow(false);
    lastOffset.current = offset;
    edges();
  };

  const leave = () => follow(false);
  const toEnd = useCallback(() => {
    void props.onToEnd().then(() => {
      follow(true);
      requestAnimationFrame(pin);
    });
  }, [follow, pin]);

  useImperativeHandle(
    props.ref,
    () => ({
      toEnd,
      focus: () => scroller.current?.focus(),
      toRow: (id, align) => {
        const at = rows.findIndex((row) => row.id === id);
        if (at < 0) return false;
        leave();
        list.current?.scrollToIndex(at, { align });
        return true;
      },
      toPrompt: (direction) => {
        const handle = list.current;
        const box = scroller.current;
        if (!handle || !box) return false;
        const top = handle.findItemIndex(handle.scrollOffset + 8);
        const prompts = rows.flatMap((row, i) => (row.kind === "prompt" ? [i] : []));
        const target = direction < 0 ? prompts.filter((i) => i < top || (i === top && handle.getItemOffset(i) < handle.scrollOffset - 8)).at(-1) : prompts.find((i) => i > top);
        if (target === undefined) {
          if (direction > 0) toEnd();
          else props.onOlder();
          return false;
        }
        leave();
        handle.scrollToIndex(target, { align: "start" });
        return true;
      },
    }),
    [rows, toEnd],
  );

  const seenAt = away && seen !== null ? rows.findLastIndex((row) => row.id === seen) : -1;
  const fresh = seenAt < 0 ? 0 : rows.length - 1 - seenAt;
  return (
    <div className={styles.listFrame}>
      <div ref={scroller} className={styles.scroller} data-testid="transcript" tabIndex={0} role="region" aria-label="Conversation" onScroll={onScroll}>
        <div ref={content} className={styles.column}>
          <Virtualizer ref={list} scrollRef={scroller} shift={shift} bufferSize={BUFFER_PX} keepMounted={kept} data={rows}>
            {(row: Row) => <Item key={row.id} row={row} hit={row.id === hit} />}
          </Virtualizer>
        </div>
      </div>
      {away && (
        <button
          type="button"
          className={styles.newer}
          onClick={toEnd}
          onWheel={(event) => {
            // The button floats over the list and must not stop it.
            readerUntil.current = performance.now() + READER_MS;
            scroller.current?.scrollBy(0, event.deltaY);
          }}
        >
          <ArrowDown aria-hidden="true" />
          {fresh > 0 ? `${fresh} new` : missed > 0 ? "New below" : "To the end"}
        </button>
      )}
    </div>
  );
}
