// The composer of a chat on the real host.
import { type ReactNode, type Ref, useState } from "react";
import { host, hostError, inWords } from "../../host";
import { useExtras } from "../../prompt";
import { useLive } from "../../state/live";
import { useHarnesses } from "../../state/queries";
import { useQueue } from "../../state/transcript-queue";
import { type ComposerHandle, ComposerView } from "./ComposerView";
import { useDraft } from "./useDraft";

export interface ComposerProps {
  chatId: string;
  /** Beside the send button: model, mode. */
  tools?: ReactNode;
  ref?: Ref<ComposerHandle>;
}

/** The composer. It holds a draft of its own: give it `key={chatId}`. */
export function Composer({ chatId, tools, ref }: ComposerProps) {
  const chat = useLive((state) => state.chats.get(chatId));
  const queue = useQueue(chatId);
  const [trouble, setTrouble] = useState<string | null>(null);
  const { draft, save } = useDraft(chatId, setTrouble);
  const card = useHarnesses().data?.find(({ id }) => id === chat?.harness);
  const extras = useExtras(chatId, card);
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
        const { attachments, schema, giveBack, gone } = extras.take();
        try {
          await host.sendPrompt(chatId, { text, attachments, schema });
        } catch (cause) {
          giveBack();
          throw new Error(inWords(cause));
        }
        gone();
        setTrouble(null);
      }}
      onStop={() => act(host.stopTurn(chatId))}
      onResume={() => act(host.resumeQueue(chatId))}
      onEditQueued={async (id, text) => {
        await host.editQueued(chatId, id, text);
      }}
      onRemoveQueued={async (id) => act(host.removeQueued(chatId, id))}
      tools={<>{extras.tools}{tools}</>}
      extras={extras}
    />
  );
}
