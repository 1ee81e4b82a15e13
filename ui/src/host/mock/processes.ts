// Living processes of the scripted host.
import type { ChatProcesses, ChatSummary } from "../contract";
import { minutesAgo, NOW } from "./clock";

const ended = new Set<string>();

/** A chat that works has its turn's processes; one that finished keeps its agent and left a server running. */
export function processesOf(chat: ChatSummary): ChatProcesses {
  const agent = { pid: 4_311, command: ["/home/ada/.local/bin/claude", "--output-format", "stream-json", "--verbose"], since: minutesAgo(2), detached: false };
  const tree = (marker: string) => `${chat.id}:${marker}`;
  const all: ChatProcesses["trees"] = [];
  if (["working", "quiet", "needs_you"].includes(chat.state)) {
    all.push({ marker: tree("turn"), role: "turn", kept_until: null, more: 0, processes: [agent, { pid: 4_350, command: ["npm", "test", "--", "map"], since: minutesAgo(1), detached: false }] });
  } else if (chat.id === "c-done") {
    all.push({ marker: tree("kept"), role: "kept", kept_until: NOW + 4 * 60_000, more: 0, processes: [agent] });
    all.push({ marker: tree("left"), role: "left", kept_until: null, more: 0, processes: [{ pid: 3_990, command: ["npm", "run", "dev"], since: minutesAgo(18), detached: true }] });
  }
  return { trees: all.filter(({ marker }) => !ended.has(marker)) };
}

export function endProcesses(marker: string): null {
  ended.add(marker);
  return null;
}
