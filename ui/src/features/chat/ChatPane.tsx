// A chat on the real host.
import { type ReactNode, useMemo, useState } from "react";
import { type ChatSummary, hostError } from "../../host";
import { useLive } from "../../state/live";
import { ChatView } from "./ChatView";
import { hostPort } from "./hostPort";
import type { ChatHead } from "./port";

const NAMES: Record<string, string> = { claude: "Claude Code", codex: "Codex", opencode: "OpenCode", copilot: "Copilot" };

function statusOf({ waits, state }: ChatSummary): ChatHead["status"] {
  if (waits?.what === "stop") return "stopping";
  if (waits?.what === "slot" || state === "waiting") return "queued";
  return waits || state === "working" || state === "quiet" ? "running" : "idle";
}

function headOf(chat: ChatSummary | undefined): ChatHead {
  if (!chat) {
    return {
      title: "Chat", folder: "", harness: "", target: null, modelAsked: null, modelReported: null, mode: "default", payer: null,
      practice: false, status: "unknown", since: null, waits: null,
    };
  }
  return {
    title: chat.title,
    folder: chat.folder,
    harness: NAMES[chat.harness] ?? chat.harness,
    target: null,
    modelAsked: chat.model,
    modelReported: chat.reported_model,
    mode: chat.mode.mode === "custom" ? chat.mode.name : chat.mode.mode,
    payer: chat.payer === null ? null : { source: chat.payer, label: null },
    practice: chat.endpoint === "practice",
    status: statusOf(chat),
    since: chat.waits?.since ?? null,
    waits: chat.waits,
  };
}

export interface ChatPaneProps {
  chatId: string;
  /** Open decisions of this chat, above the composer. */
  dock?: ReactNode;
  composer?: ReactNode;
  /** Buttons of the header. */
  tools?: ReactNode;
  /** Whatever else belongs below: quota, account. */
  footer?: ReactNode;
}

/** One chat. Give it `key={chatId}` so that a change of chat starts anew. */
export function ChatPane({ chatId, dock, composer, tools, footer }: ChatPaneProps) {
  const chat = useLive((state) => state.chats.get(chatId));
  const [trouble, setTrouble] = useState<string | null>(null);
  const port = useMemo(() => hostPort(chatId, (cause) => setTrouble(hostError(cause).message)), [chatId]);
  const head = useMemo(() => headOf(chat), [chat]);
  return <ChatView key={chatId} port={port} head={head} dock={dock} composer={composer} tools={tools} footer={footer} trouble={trouble} />;
}
