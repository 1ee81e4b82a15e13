// What the chat room needs from the host.
import type { LoadedEvent } from "../../state/transcript";
import type { ChatProcesses } from "../../host";
import type { Receipt } from "../../state/transcript-events";
import type { PayloadPart } from "../../state/transcript-rows";

export interface SearchHit {
  seq: number;
  /** Text around the hit. */
  snippet: string;
}

/** Events in order, and whether more lie on either side. */
export interface Page {
  events: readonly LoadedEvent[];
  moreBefore: boolean;
  moreAfter: boolean;
}

export interface Follower {
  /** Number of the last event that was read or heard. */
  since: () => number;
  take: (batch: readonly LoadedEvent[]) => void;
  /** Events were lost: reads again and says from where to go on. */
  resync: () => Promise<number>;
}

export interface ChatPort {
  /** The chat, as a key for what is asked for once. */
  chat: string;
  /** The page that ends before `seq`; null: the newest page. */
  before: (seq: number | null, limit: number) => Promise<Page>;
  /** The page that begins after `seq`. */
  after: (seq: number, limit: number) => Promise<Page>;
  /** Hears what happens. Returns how to stop. */
  follow: (follower: Follower) => () => void;
  /** The whole of a payload that was cut. */
  payload: (seq: number, part: PayloadPart) => Promise<string>;
  /** What lives of this chat. */
  processes: () => Promise<ChatProcesses>;
  /** Ends one process tree of this chat. */
  endProcesses: (marker: string) => Promise<void>;
  /** What the turn did that ended with this event. */
  receipt: (end: number) => Promise<Receipt>;
  search: (query: string) => Promise<SearchHit[]>;
  openLink: (href: string) => void;
  stop: () => Promise<void>;
  kill: () => Promise<void>;
  /** Ends an agent or a command in the background. */
  endTask: (task: string) => Promise<void>;
  /** Sends a prompt. */
  send: (text: string, beside?: { attachments: string[]; schema: string | null }) => Promise<void>;
  /** The reader has seen everything up to this event. */
  read: (seq: number) => void;
}

/** What stands above a chat. Null: not known, shown as such. */
export interface ChatHead {
  title: string;
  folder: string;
  harness: string;
  target: string | null;
  modelAsked: string | null;
  modelReported: string | null;
  mode: string;
  payer: { source: string; label: string | null } | null;
  practice: boolean;
  status: "idle" | "queued" | "running" | "stopping" | "unknown";
  /** When the present status began. */
  since: number | null;
  /** What the host says the turn waits for. */
  waits: { what: "slot" | "start" | "model" | "tool" | "person" | "retry" | "stop" | "background"; detail: string | null; since: number; until: number | null } | null;
}
