// Above a chat: where, with whom, by which rules, and who pays.
import { Search } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../../kit/Button";
import { VisibleText } from "../../kit/CodeVisible";
import type { Latest } from "../../state/transcript-rows";
import styles from "./Chat.module.css";
import { McpServers } from "./McpServers";
import { Processes } from "./Processes";
import type { ChatHead, ChatPort } from "./port";

const MODES: Record<string, string> = {
  read_only: "Look only", default: "Ask", accept_edits: "Edit freely", plan: "Plan", full_access: "Full",
};
const PAYERS: Record<string, string> = { api_key: "API key", subscription: "your plan", practice: "nobody: practice" };

/** `…/src/paddock`: the end of a path says more than its beginning. */
export function shortPath(path: string, most = 42): string {
  if (path.length <= most) return path;
  const parts = path.split("/");
  let out = parts.pop() ?? path;
  while (parts.length > 0 && out.length + (parts.at(-1)?.length ?? 0) + 3 <= most) out = `${parts.pop()}/${out}`;
  return `…/${out}`;
}

export function payerText(payer: ChatHead["payer"]): string {
  if (!payer) return "payer unknown";
  const who = payer.label ?? PAYERS[payer.source] ?? payer.source;
  return payer.source === "practice" ? "Practice: scripted answers" : `paid by ${who}`;
}

function modelText(asked: string | null, reported: string | null): { text: string; differs: boolean } {
  if (reported === null) return { text: asked ?? "default model", differs: false };
  if (asked === null || asked === reported || reported.includes(asked)) return { text: reported, differs: false };
  return { text: `${reported}, asked for ${asked}`, differs: true };
}

/** Changes with what may start or end a process: a turn that began or ended, a step that runs. */
function moment({ turn, tasks }: Latest): string {
  const work = tasks.filter((task) => task.status === "running").length;
  return `${turn === null ? "idle" : turn.phase === "queued" ? "queued" : turn.id}:${turn?.running.length ?? 0}:${work}`;
}

export function ChatHeader({ port, head, payer, latest, onFind, tools }: { port: ChatPort; head: ChatHead; payer: ChatHead["payer"]; latest: Latest; onFind: () => void; tools?: ReactNode }) {
  const model = modelText(head.modelAsked, latest.model ?? head.modelReported);
  const mode = latest.mode ?? head.mode;
  return (
    <header className={styles.header}>
      <div className={styles.headText}>
        <h1 className={styles.headTitle}><VisibleText text={head.title} /></h1>
        <ul className={styles.headFacts} aria-label="About this chat">
          <li className={styles.headFolder} title={head.folder}>{head.target ? `${head.target}: ` : ""}{shortPath(head.folder)}</li>
          <li>{head.harness}</li>
          <li data-warn={model.differs || undefined}>{model.text}</li>
          <li data-warn={mode === "full_access" || undefined}>{MODES[mode] ?? mode}</li>
          <li data-warn={payer === null || undefined} data-practice={head.practice || undefined}>{payerText(payer)}</li>
          <McpServers servers={latest.mcp} />
          <Processes port={port} moment={moment(latest)} />
        </ul>
      </div>
      <div className={styles.headTools}>
        {tools}
        <IconButton label="Find in this chat" keys="Mod+F" onClick={onFind}><Search /></IconButton>
      </div>
    </header>
  );
}
