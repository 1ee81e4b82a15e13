// The composer of a chat on the real host.
import { type ReactNode, type Ref, useEffect, useMemo, useRef, useState } from "react";
import { host, hostError } from "../../host";
import { useLive } from "../../state/live";
import { useQueue } from "../../state/transcript-queue";
import { type ComposerHandle, ComposerView } from "./ComposerView";
import { DRAFT_SAVE_MS } from "./limits";

export interface ComposerProps {
  chatId: string;
  /** Beside the send button: model, mode. */
  tools?: ReactNode;
  ref?: Ref<ComposerHandle>;
}

/** Saves a draft after a rest, and at once when the chat is left or the window hides. */
function useDraft(chatId: string, onTrouble: (text: string) => void) {
  const [draft, setDraft] = useState<string | null>(null);
  const waiting = useRef<{ text: string; timer: ReturnType<typeof setTimeout> } | null>(null);
  const save = useMemo(() => {
    const flush = () => {
      const next = waiting.current;
      if (!next) return;
      clearTimeout(next.timer);
      waiting.current = null;
      host.saveDraft(chatId, next.text).catch((cause: unknown) => onTrouble(`The draft could not be saved: ${hostError(cause).message}`));
    };
    const put = (text: string) => {
      if (waiting.current) clearTimeout(waiting.current.timer);
      waiting.current = { text, timer: setTimeout(flush, DRAFT_SAVE_MS) };
    };
    return { put, flush };
  }, [chatId, onTrouble]);
  useEffect(() => {
    let wanted = true;
    setDraft(null);
    host.draft(chatId).then(
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
  }, [chatId, save, onTrouble]);
  return { draft, save: save.put };
}

/** The composer. It holds a draft of its own: give it `key={chatId}`. */
export function Composer({ chatId, tools, ref }: ComposerProps) {
  const chat = useLive((state) => state.chats.get(chatId));
  const queue = useQueue(chatId);
  const [trouble, setTrouble] = useState<string | null>(null);
  const { draft, save } = useDraft(chatId, setTrouble);
  const act = (work: Promise<unknown>) => {
    setTrouble(null);
    work.catch((cause: unknown) => setTrouble(hostError(cause).message));
  };
  // An answered turn whose background work goes on takes the next message at once.
  const running = chat !== undefined && chat.waits?.what !== "background" && (chat.waits !== null || chat.state === "working" || chat.state === "quiet" || chat.state === "waiting");
  return (
    <ComposerView
      key={chatId}
      ref={ref}
      running={running}
      steer={{ able: false, why: null }}
      queue={queue}
      paused={chat?.queue_paused ?? null}
      draft={draft}
      trouble={trouble}
      onDraft={save}
      onSend={async (text) => {
        await host.sendPrompt(chatId, { text, attachments: [], schema: null });
        setTrouble(null);
      }}
      onStop={() => act(host.stopTurn(chatId))}
      onResume={() => act(host.resumeQueue(chatId))}
      onEditQueued={async (id, text) => {
        await host.editQueued(chatId, id, text);
      }}
      onRemoveQueued={async (id) => act(host.removeQueued(chatId, id))}
      tools={tools}
    />
  );
}
