// Loads the part of a chat that is looked at, and keeps it up with what happens. The feed hands over one batch a frame.
import { useCallback, useEffect, useRef, useState } from "react";
import { type LoadedEvent, type Transcript, emptyTranscript, ingestLive, ingestPage, loadedRange, prune } from "../../state/transcript";
import type { ChatPort } from "./port";

/** Events of one page. */
export const PAGE_EVENTS = 600;
/** Events loaded on each side when a distant place is jumped to. */
const AROUND_EVENTS = 400;

export interface Loaded {
  transcript: Transcript;
  phase: "loading" | "ready" | "failed";
  error: string | null;
  older: () => void;
  newer: () => void;
  toEnd: () => Promise<void>;
  /** Makes the event loaded. */
  around: (seq: number) => Promise<void>;
  retry: () => void;
  /** Told whether the reader is at the end: decides which side is let go. */
  reading: (atEnd: boolean) => void;
}

const message = (error: unknown) => (error instanceof Error ? error.message : String(error));

export function useTranscript(port: ChatPort): Loaded {
  const [transcript, setTranscript] = useState<Transcript>(emptyTranscript);
  const [phase, setPhase] = useState<Loaded["phase"]>("loading");
  const [error, setError] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(0);
  const state = useRef(transcript);
  const busy = useRef({ older: false, newer: false });
  const atEnd = useRef(true);
  const alive = useRef(true);
  /** The last number heard, also while the end is not loaded. */
  const heard = useRef(0);

  const set = useCallback((next: Transcript) => {
    if (!alive.current || next === state.current) return;
    state.current = next;
    heard.current = Math.max(heard.current, loadedRange(next)?.last ?? 0);
    setTranscript(next);
  }, []);
  const fail = useCallback((cause: unknown) => {
    if (alive.current) setError(message(cause));
  }, []);

  /** Throws away what is loaded and reads the newest page. */
  const end = useCallback(async () => {
    const page = await port.before(null, PAGE_EVENTS);
    const fresh = ingestPage(emptyTranscript(), page.events, { atEnd: true, atStart: !page.moreBefore });
    // What was heard while the page was on its way is already in the old state.
    const since = loadedRange(fresh)?.last ?? 0;
    set(ingestLive(fresh, state.current.atEnd ? state.current.events.filter((e) => e.seq > since) : []));
  }, [port, set]);

  const fill = useCallback(async (after: number) => {
    const page = await port.after(after, PAGE_EVENTS);
    set(ingestPage(state.current, page.events, { atEnd: !page.moreAfter }));
  }, [port, set]);

  useEffect(() => {
    alive.current = true;
    let mine = true;
    let stop = () => {};
    state.current = emptyTranscript();
    heard.current = 0;
    setTranscript(state.current);
    setPhase("loading");
    setError(null);
    const take = (batch: readonly LoadedEvent[]) => {
      const next = ingestLive(state.current, batch);
      heard.current = Math.max(heard.current, batch.at(-1)?.seq ?? 0);
      set(atEnd.current ? prune(next, "end") : next);
    };
    const resync = async () => {
      if (state.current.atEnd) await end();
      return heard.current;
    };
    end().then(
      () => {
        if (!mine) return;
        setPhase("ready");
        stop = port.follow({ since: () => heard.current, take, resync });
      },
      (cause: unknown) => {
        if (!mine) return;
        setPhase("failed");
        setError(message(cause));
      },
    );
    return () => {
      mine = false;
      alive.current = false;
      stop();
    };
  }, [port, end, set, attempt]);

  const gap = transcript.gapAfter;
  useEffect(() => {
    if (gap !== null) fill(gap).catch(fail);
  }, [gap, fill, fail]);

  const older = useCallback(() => {
    const range = loadedRange(state.current);
    if (!range || state.current.atStart || busy.current.older) return;
    busy.current.older = true;
    port
      .before(range.first, PAGE_EVENTS)
      .then((page) => set(prune(ingestPage(state.current, page.events, { atStart: !page.moreBefore }), atEnd.current ? "end" : "start")))
      .catch(fail)
      .finally(() => {
        busy.current.older = false;
      });
  }, [port, set, fail]);

  const newer = useCallback(() => {
    const range = loadedRange(state.current);
    if (!range || state.current.atEnd || busy.current.newer) return;
    busy.current.newer = true;
    port
      .after(range.last, PAGE_EVENTS)
      .then((page) => set(prune(ingestPage(state.current, page.events, { atEnd: !page.moreAfter }), "end")))
      .catch(fail)
      .finally(() => {
        busy.current.newer = false;
      });
  }, [port, set, fail]);

  const toEnd = useCallback(async () => {
    if (!state.current.atEnd) await end();
  }, [end]);

  const around = useCallback(async (seq: number) => {
    const range = loadedRange(state.current);
    if (range && seq >= range.first && seq <= range.last) return;
    const [left, right] = await Promise.all([port.before(seq + 1, AROUND_EVENTS), port.after(seq, AROUND_EVENTS)]);
    set(ingestPage(emptyTranscript(), [...left.events, ...right.events], { atStart: !left.moreBefore, atEnd: !right.moreAfter }));
  }, [port, set]);

  const retry = useCallback(() => setAttempt((n) => n + 1), []);
  const reading = useCallback((now: boolean) => {
    atEnd.current = now;
  }, []);
  return { transcript, phase, error, older, newer, toEnd, around, retry, reading };
}
