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
  /** Counts what was asked for as a whole: a chat, its end, a distant place. A late answer to an earlier one is dropped. */
  const ticket = useRef(0);
  /** The last number heard, also while the end is not loaded. */
  const heard = useRef(0);

  const set = useCallback((changed: Transcript) => {
    if (changed === state.current) return;
    state.current = changed;
    heard.current = Math.max(heard.current, loadedRange(changed)?.last ?? 0);
    setTranscript(changed);
  }, []);
  /** Runs `done` with an answer, unless something else was asked for since. A failure is told in the same way. */
  const wanted = useCallback(async <T,>(mine: number, asked: Promise<T>, done: (answer: T) => void) => {
    try {
      const answer = await asked;
      if (mine === ticket.current) done(answer);
    } catch (cause) {
      if (mine === ticket.current) throw cause;
    }
  }, []);
  const fail = useCallback((cause: unknown) => setError(message(cause)), []);
  const next = useCallback(() => {
    ticket.current += 1;
    return ticket.current;
  }, []);

  /** Throws away what is loaded and reads the newest page. */
  const end = useCallback(
    () =>
      wanted(next(), port.before(null, PAGE_EVENTS), (page) => {
        const fresh = ingestPage(emptyTranscript(), page.events, { atEnd: true, atStart: !page.moreBefore });
        // What was heard while the page was on its way is already in the old state.
        const since = loadedRange(fresh)?.last ?? 0;
        set(ingestLive(fresh, state.current.atEnd ? state.current.events.filter((e) => e.seq > since) : []));
      }),
    [port, set, wanted, next],
  );

  const fill = useCallback(
    (after: number) => wanted(ticket.current, port.after(after, PAGE_EVENTS), (page) => set(ingestPage(state.current, page.events, { atEnd: !page.moreAfter }))),
    [port, set, wanted],
  );

  useEffect(() => {
    let mine = true;
    let stop = () => {};
    state.current = emptyTranscript();
    heard.current = 0;
    setTranscript(state.current);
    setPhase("loading");
    setError(null);
    const take = (batch: readonly LoadedEvent[]) => {
      if (!mine) return;
      const changed = ingestLive(state.current, batch);
      heard.current = Math.max(heard.current, batch.at(-1)?.seq ?? 0);
      set(atEnd.current ? prune(changed, "end") : changed);
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
      next();
      stop();
    };
  }, [port, end, set, next, attempt]);

  const gap = transcript.gapAfter;
  useEffect(() => {
    if (gap !== null) fill(gap).catch(fail);
  }, [gap, fill, fail]);

  const older = useCallback(() => {
    const range = loadedRange(state.current);
    if (!range || state.current.atStart || busy.current.older) return;
    busy.current.older = true;
    wanted(ticket.current, port.before(range.first, PAGE_EVENTS), (page) =>
      set(prune(ingestPage(state.current, page.events, { atStart: !page.moreBefore }), atEnd.current ? "end" : "start")),
    )
      .catch(fail)
      .finally(() => {
        busy.current.older = false;
      });
  }, [port, set, fail, wanted]);

  const newer = useCallback(() => {
    const range = loadedRange(state.current);
    if (!range || state.current.atEnd || busy.current.newer) return;
    busy.current.newer = true;
    wanted(ticket.current, port.after(range.last, PAGE_EVENTS), (page) => set(prune(ingestPage(state.current, page.events, { atEnd: !page.moreAfter }), "end")))
      .catch(fail)
      .finally(() => {
        busy.current.newer = false;
      });
  }, [port, set, fail, wanted]);

  const toEnd = useCallback(async () => {
    if (!state.current.atEnd) await end();
  }, [end]);

  const around = useCallback(async (seq: number) => {
    const range = loadedRange(state.current);
    if (range && seq >= range.first && seq <= range.last) return;
    await wanted(next(), Promise.all([port.before(seq + 1, AROUND_EVENTS), port.after(seq, AROUND_EVENTS)]), ([left, right]) =>
      set(ingestPage(emptyTranscript(), [...left.events, ...right.events], { atStart: !left.moreBefore, atEnd: !right.moreAfter })),
    );
  }, [port, set, wanted, next]);

  const retry = useCallback(() => setAttempt((n) => n + 1), []);
  const reading = useCallback((now: boolean) => {
    atEnd.current = now;
  }, []);
  return { transcript, phase, error, older, newer, toEnd, around, retry, reading };
}
