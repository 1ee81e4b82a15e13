// A chat: header, conversation, what it waits for, then the slots for decisions and composer. Knows no host.
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../kit/Button";
import { LinkGate } from "../../kit/MarkdownLink";
import { loadedRange, rowIdOf } from "../../state/transcript";
import type { Latest } from "../../state/transcript-rows";
import { Announcer } from "./Announcer";
import styles from "./Chat.module.css";
import { ChatFooter } from "./ChatFooter";
import { ChatHeader } from "./ChatHeader";
import { Find } from "./Find";
import { highlightWords } from "./highlight";
import { type ListHandle, MessageList } from "./MessageList";
import type { ChatHead, ChatPort, SearchHit } from "./port";
import { HarnessName, LastTurn, RowContext } from "./rows/context";
import { StatusLine } from "./StatusLine";
import { useTranscript } from "./useTranscript";
import type { Payer } from "./words";

/** What *Continue* says to the agent after an interruption. */
const GO_ON = "Continue where you stopped.";
const PRACTICE: Payer = { source: "practice", label: null };
/** Milliseconds at the end of a chat after which it counts as read. */
const READ_AFTER_MS = 600;
/** Frames in which a list draws a row that it scrolled to. */
const JUMP_FRAMES = 60;
/** Milliseconds that a step stays marked after a jump to it. */
const JUMP_SHOWN_MS = 2_500;

export interface ChatViewProps {
  port: ChatPort;
  head: ChatHead;
  /** Open decisions of this chat, above the composer. */
  dock?: ReactNode;
  composer?: ReactNode;
  /** Buttons of the header beside find. */
  tools?: ReactNode;
  /** Quota and whatever else belongs to the footer. */
  footer?: ReactNode;
  /** What failed where nobody waited for an answer. */
  trouble?: string | null;
  /** Told the facts that the composer needs, such as the harness's commands. */
  onLatest?: (latest: Latest) => void;
}

export function ChatView({ port, head, dock, composer, tools, footer, trouble = null, onLatest }: ChatViewProps) {
  const loaded = useTranscript(port);
  const { transcript, phase } = loaded;
  const { rows, latest } = transcript;
  const list = useRef<ListHandle>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [finding, setFinding] = useState(false);
  const [hit, setHit] = useState<{ row: string; query: string } | null>(null);
  const [reading, setReading] = useState(true);
  const state = useRef(transcript);
  state.current = transcript;
  const jump = useRef<(seq: number) => Promise<void>>(async () => undefined);

  const actions = useMemo(
    () => ({
      chat: port.chat,
      payload: port.payload,
      endTask: port.endTask,
      receipt: port.receipt,
      jump: (seq: number) => jump.current(seq),
      goOn: (turn: string, way: "continue" | "again") => {
        const prompt = state.current.rows.find((row) => row.kind === "prompt" && row.turn === turn);
        if (way === "again" && prompt?.kind !== "prompt") return Promise.reject(new Error("the message of this turn is not loaded; scroll up to it first"));
        if (way === "again" && prompt?.kind === "prompt") return port.send(prompt.text, { attachments: prompt.files.map(({ id }) => id), schema: prompt.schema });
        return port.send(GO_ON);
      },
    }),
    [port],
  );
  // Seen is what was at the end of a window that is looked at.
  const lastSeq = loadedRange(transcript)?.last ?? 0;
  useEffect(() => {
    if (phase !== "ready" || !reading || lastSeq === 0) return;
    const tell = () => {
      if (!document.hidden) port.read(lastSeq);
    };
    const timer = setTimeout(tell, READ_AFTER_MS);
    document.addEventListener("visibilitychange", tell);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", tell);
    };
  }, [phase, reading, lastSeq, port]);
  useEffect(() => onLatest?.(latest), [latest, onLatest]);
  useEffect(() => highlightWords(frame.current, hit), [hit, rows]);

  const go = useCallback(
    async (target: SearchHit, query: string) => {
      await loaded.around(target.seq);
      // The page that was just loaded is drawn first.
      requestAnimationFrame(() => {
        const id = rowIdOf(state.current, target.seq);
        if (id === null) return;
        list.current?.toRow(id, "center");
        setHit({ row: id, query });
      });
    },
    [loaded.around],
  );
  jump.current = async (seq) => {
    await go({ seq, snippet: "" }, "");
    const row = rowIdOf(state.current, seq);
    if (row === null) throw new Error("This step is not shown anywhere.");
    // The step has the focus then, for one that came by keys. The list draws it a few frames after it scrolled.
    for (let frames = 0; frames < JUMP_FRAMES; frames += 1) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const step = frame.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(row)}"] button`);
      if (!step || frames < 2) continue;
      step.scrollIntoView({ block: "center" });
      step.focus({ preventScroll: true });
      break;
    }
    setTimeout(() => setHit((shown) => (shown?.row === row && shown.query === "" ? null : shown)), JUMP_SHOWN_MS);
  };

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "f") {
        event.preventDefault();
        setFinding(true);
        frame.current?.querySelector<HTMLInputElement>('[role="search"] input')?.select();
      }
      if (event.altKey && !event.ctrlKey && !event.metaKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
        event.preventDefault();
        list.current?.toPrompt(event.key === "ArrowUp" ? -1 : 1);
      }
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);

  const closeFind = () => {
    setFinding(false);
    setHit(null);
    list.current?.focus();
  };
  // Who pays in practice is known, whatever the process believes: nobody.
  const payer = head.practice ? PRACTICE : (latest.payer ?? head.payer);
  const last = rows.at(-1);
  const lastTurn = head.status === "idle" && last?.kind === "ending" ? last.turn : null;
  return (
    <LinkGate open={port.openLink}>
      <RowContext.Provider value={actions}>
        <LastTurn.Provider value={lastTurn}>
          <HarnessName.Provider value={head.harness || "the harness"}>
            <div className={styles.chat} ref={frame}>
              <ChatHeader port={port} head={head} payer={payer} latest={latest} onFind={() => setFinding(true)} tools={tools} />
              {finding && <Find search={port.search} onGo={(target, query) => void go(target, query)} onClose={closeFind} />}
              {phase === "failed" ? (
                <div className={styles.empty} role="alert">
                  <p>This chat could not be read: {loaded.error}</p>
                  <p>Nothing is lost; it is stored on this computer.</p>
                  <Button onClick={loaded.retry}>Read again</Button>
                </div>
              ) : phase === "loading" ? (
                <div className={styles.empty} aria-busy="true" />
              ) : rows.length === 0 ? (
                <div className={styles.empty}><p>Nothing was said here yet.</p></div>
              ) : (
                <MessageList
                  ref={list}
                  rows={rows}
                  atStart={transcript.atStart}
                  atEnd={transcript.atEnd}
                  missed={transcript.missed}
                  hit={hit?.row ?? null}
                  onOlder={loaded.older}
                  onNewer={loaded.newer}
                  onToEnd={loaded.toEnd}
                  onReading={(atEnd) => {
                    loaded.reading(atEnd);
                    setReading(atEnd);
                  }}
                />
              )}
              {phase === "ready" && loaded.error && <p className={styles.trouble} role="alert">Part of this chat could not be read: {loaded.error}</p>}
              {trouble && <p className={styles.trouble} role="alert">{trouble}</p>}
              <div className={styles.bottom}>
                <StatusLine status={head.status} since={head.since} waits={head.waits} latest={latest} rows={rows} onStop={port.stop} onKill={port.kill} />
                {dock}
                {composer}
                <ChatFooter latest={latest} payer={payer} extra={footer} />
              </div>
              <Announcer rows={rows} latest={latest} ready={phase === "ready"} />
            </div>
          </HarnessName.Provider>
        </LastTurn.Provider>
      </RowContext.Provider>
    </LinkGate>
  );
}
