import type { AttachedFile, ChatSummary, CommandError, Decision, GrantView, HarnessCard, Living, QueuedPrompt, StoredEvent, Workspace } from "../contract";
import { daysAgo, hoursAgo, minutesAgo, seeded } from "./clock";
import { fileOf, LOG, PHONE, SCREENSHOT } from "./attachments";
import { approval, plan, question } from "./decisions";
import { filesTurn, forkedTurn, hostileTurn, LIST_SCHEMA } from "./extras";
import { HOME } from "./folders";
import { CLAUDE, CLAUDE_MISSING, CLAUDE_NO_NODE, CLAUDE_PROBING, CLAUDE_SIGNED_OUT } from "./harness";
import { HOSTILE_PATH, HOSTILE_TITLES, HOSTILE_WORD } from "./hostile";
import { cutOff, failedTurn, HUGE_EVENTS, ordinary } from "./transcript";

/** Everything that one scripted window shows. */
export interface Scene {
  chats: ChatSummary[];
  workspaces: Workspace[];
  decisions: Decision[];
  harnesses: HarnessCard[];
  grants: GrantView[];
  events: (chat: ChatSummary) => StoredEvent[];
  /** Files that wait in drafts, by place. */
  files: Record<string, AttachedFile[]>;
  /** Prompts that wait, by chat. */
  queues: Record<string, QueuedPrompt[]>;
  /** The first chat has a hundred thousand events, made when asked for. */
  huge: boolean;
  living: Living | null;
  /** Every list and change fails with this. */
  fails: CommandError | null;
  /** Nothing is ever answered. */
  silent: boolean;
}

export const SCENES = ["busy", "empty", "streaming", "two-decisions", "error", "huge", "hostile", "not-found", "no-node", "signed-out", "probing", "practice", "cut-off", "silent", "quit", "files", "no-pictures"] as const;
export type SceneName = (typeof SCENES)[number];

export function chat(id: string, title: string, over: Partial<ChatSummary> = {}): ChatSummary {
  const folder = over.folder ?? `${HOME}/work/atlas`;
  return {
    id, title, workspace: folder, folder, harness: "claude", endpoint: "account", model: null, reported_model: "claude-sonnet-5", effort: null, mode: { mode: "default" },
    state: "read", open_decisions: 0, waits: null, payer: "Max plan", session_id: "0f9d2c31-5a77-4f7e-9b6e-2f6f9f0f6a11", last_seq: 12, read_seq: 12, queued: 0, queue_paused: null, usage: null,
    created_at: daysAgo(10), updated_at: hoursAgo(5), archived: false, ...over,
  };
}

export function workspace(path: string, over: Partial<Workspace> = {}): Workspace {
  return { id: path, path, name: path.split("/").filter(Boolean).at(-1) ?? path, practice: false, last_used_at: hoursAgo(2), ...over };
}

const COMPILER = `${HOME}/src/pocket-compiler`;
const NOTES = `${HOME}/work/field-notes`;
const COOKIES = { chat: "c-needs", chat_title: "Move sessions to signed cookies" };
const PORT = { chat: "c-quiet", chat_title: "Port the parser to the new token stream", folder: COMPILER };

const CHATS = [
  chat("c-needs", COOKIES.chat_title, { state: "needs_you", updated_at: minutesAgo(4), open_decisions: 1, waits: { what: "person", detail: null, since: minutesAgo(4), until: null } }),
  chat("c-work", "Find out why the map tiles load twice", { state: "working", updated_at: minutesAgo(1), waits: { what: "tool", detail: "npm test -- map", since: minutesAgo(2), until: null }, last_seq: 11, read_seq: 11 }),
  chat("c-done", "Write the release notes for 2.4", { state: "finished", updated_at: minutesAgo(38), read_seq: 4 }),
  chat("c-read-1", "Rename the export columns", { updated_at: hoursAgo(6) }),
  chat("c-read-2", "Which tests are slow, and why", { updated_at: daysAgo(1) }),
  chat("c-quiet", PORT.chat_title, { folder: COMPILER, state: "quiet", updated_at: minutesAgo(3), waits: { what: "model", detail: null, since: minutesAgo(3), until: null } }),
  chat("c-slot", "Measure the arena allocator", { folder: COMPILER, state: "waiting", updated_at: minutesAgo(2), waits: { what: "slot", detail: null, since: minutesAgo(2), until: null } }),
  chat("c-read-3", "Explain the register allocator to me", { folder: COMPILER, updated_at: daysAgo(3) }),
  chat("c-failed", "Import the 1931 herbarium scans", { folder: NOTES, state: "failed", updated_at: minutesAgo(52) }),
  chat("c-read-4", "Draft the species index", { folder: NOTES, updated_at: daysAgo(9) }),
];

const ONE_DECISION = approval("d-1", COOKIES, 4, "cargo add cookie --features signed,private", "Add the cookie crate with signing");

const BUSY: Scene = {
  chats: CHATS,
  workspaces: [workspace(`${HOME}/work/atlas`), workspace(NOTES), workspace(COMPILER)],
  decisions: [ONE_DECISION],
  harnesses: [CLAUDE],
  grants: [
    { id: "g-1", ...COOKIES, harness: "claude", tool: "Bash", shown: "this exact command · this chat", subject: "cargo test -p sessions", granted_at: minutesAgo(22) },
    { id: "g-2", chat: "c-work", chat_title: "Find out why the map tiles load twice", harness: "claude", tool: "WebFetch", shown: "this domain · this chat", subject: "developer.mozilla.org", granted_at: hoursAgo(3) },
  ],
  events: (each) => (each.state === "failed" ? failedTurn(each.id, each.title) : ordinary(each.id, each.title, !["working", "quiet", "needs_you"].includes(each.state))),
  files: {},
  queues: {},
  huge: false,
  living: null,
  fails: null,
  silent: false,
};

function huge(): Scene {
  const random = seeded(7);
  const words = ["rewrite", "index", "retry", "cache", "layout", "tests", "schema", "parser", "login", "export"];
  const word = () => words[Math.floor(random() * words.length)] ?? "index";
  const folders = Array.from({ length: 24 }, (_, at) => workspace(`${HOME}/work/project-${String(at + 1).padStart(2, "0")}`, { last_used_at: daysAgo(at) }));
  const chats = folders.flatMap(({ path }, at) =>
    Array.from({ length: 40 }, (_, index) =>
      chat(`h-${at}-${index}`, `${word()} the ${word()} of ${word()} ${index + 1}`, { folder: path, updated_at: daysAgo(random() * 90), state: random() < 0.02 ? "finished" : "read" }),
    ),
  );
  const first = chat("c-needs", "A chat of a hundred thousand events", { state: "needs_you", updated_at: minutesAgo(4), open_decisions: 1, last_seq: HUGE_EVENTS, read_seq: HUGE_EVENTS, folder: folders[0]?.path ?? HOME });
  return { ...BUSY, chats: [first, ...chats], workspaces: folders, huge: true };
}

/** Names that break careless chips; the host itself lets at most 160 bytes through. */
function hostileFiles(at: string): AttachedFile[] {
  const names = [HOSTILE_WORD, ...HOSTILE_TITLES.slice(2), HOSTILE_PATH];
  return names.map((name, index) => fileOf(`h-${at}-${index}`, `${name}.png`, index % 2 ? "text/plain" : "image/png", 10_485_760 - index, index % 2 ? undefined : index % 4 ? "dusk" : "day"));
}

function hostile(): Scene {
  const folders = [HOSTILE_PATH, `${HOME}/مشروع-الترجمة`, `${HOME}/研究/編譯器`];
  const states = ["needs_you", "failed", "working", "quiet", "waiting", "finished", "read"] as const;
  const chats = HOSTILE_TITLES.map((title, at) =>
    chat(at === 0 ? "c-needs" : `x-${at}`, title, { state: states[at % states.length] ?? "read", open_decisions: at === 0 ? 128 : 0, folder: folders[at % 3] ?? HOME, updated_at: minutesAgo(at) }),
  );
  return {
    ...BUSY,
    chats,
    workspaces: folders.map((folder) => workspace(folder)),
    decisions: [approval("d-1", { chat: "c-needs", chat_title: HOSTILE_TITLES[0] ?? "", folder: HOSTILE_PATH }, 4, `printf '%s' ${HOSTILE_WORD}\nrm -rf "\u202E/tmp/x"\u200b\t\u0007`, HOSTILE_TITLES[2] ?? "")],
    grants: BUSY.grants.map((grant) => ({ ...grant, subject: HOSTILE_WORD, shown: HOSTILE_PATH, chat_title: HOSTILE_WORD })),
    harnesses: [{ ...CLAUDE, summary: HOSTILE_WORD, copies: CLAUDE.copies.map((copy, at) => ({ ...copy, path: `${HOSTILE_PATH}/${at}/claude`, why: HOSTILE_WORD })), looked_in: [HOSTILE_PATH], version: HOSTILE_WORD.slice(0, 200) }],
    files: { "c-needs": hostileFiles("needs"), new: hostileFiles("new") },
    events: (each) => hostileTurn(ordinary(each.id, `${each.title}\n${HOSTILE_WORD}\n${HOSTILE_TITLES.join("\n")}`, true), hostileFiles(each.id)),
  };
}

/** Prompts with files and schemas, what came of them, and a copied chat. */
function withFiles(): Scene {
  const waiting = (at: string) => [SCREENSHOT(`s-${at}`), PHONE(`p-${at}`), LOG(`l-${at}`)];
  return {
    ...BUSY,
    files: { "c-done": waiting("done"), new: waiting("new"), "fork:c-read-1": [SCREENSHOT("s-fork")] },
    queues: { "c-work": [{ id: "q-1", text: "Then compare the two pictures and tell me which requests are left", attachments: waiting("queue"), schema: LIST_SCHEMA, created_at: minutesAgo(1) }] },
    events: (each) => (each.id === "c-done" || each.id === "c-read-2" ? filesTurn(each.id, waiting(`sent-${each.id}`)) : each.id === "c-read-1" ? forkedTurn(each.id, "c-read-2", "Which tests are slow, and why") : BUSY.events(each)),
  };
}

function twoDecisions(): Scene {
  return {
    ...BUSY,
    chats: BUSY.chats.map((each) => (each.id === "c-quiet" ? { ...each, state: "needs_you", updated_at: minutesAgo(7), open_decisions: 2 } : each)),
    decisions: [ONE_DECISION, question("d-2", PORT, 11), plan("d-3", PORT, 7)],
  };
}

function practice(): Scene {
  const folder = `${HOME}/.local/share/paddock/practice`;
  const tour = { chat: "c-needs", chat_title: "A tour of approvals", folder };
  return {
    ...BUSY,
    chats: [chat(tour.chat, tour.chat_title, { endpoint: "practice", payer: null, state: "needs_you", updated_at: minutesAgo(1), open_decisions: 1, folder })],
    workspaces: [workspace(folder, { practice: true })],
    decisions: [approval("d-1", tour, 1, "rm -rf build/", "Remove the build folder")],
    grants: [],
  };
}

export function sceneOf(name: SceneName): Scene {
  switch (name) {
    case "busy":
    case "streaming":
      return BUSY;
    case "empty":
      return { ...BUSY, chats: [], workspaces: [], decisions: [], grants: [] };
    case "two-decisions":
      return twoDecisions();
    case "error":
      return { ...BUSY, fails: { kind: "store_unusable", message: "The chat store cannot be read", next_step: "Nothing was lost. Check that the disk is not full, then try again." } };
    case "huge":
      return huge();
    case "hostile":
      return hostile();
    case "not-found":
      return { ...BUSY, harnesses: [CLAUDE_MISSING] };
    case "no-node":
      return { ...BUSY, harnesses: [CLAUDE_NO_NODE] };
    case "signed-out":
      return { ...BUSY, harnesses: [CLAUDE_SIGNED_OUT] };
    case "probing":
      return { ...BUSY, harnesses: [CLAUDE_PROBING] };
    case "practice":
      return practice();
    case "cut-off":
      return { ...BUSY, chats: BUSY.chats.map((each) => (each.id === "c-done" ? { ...each, state: "failed" } : each)), events: (each) => (each.id === "c-done" ? cutOff(each.id, each.title) : BUSY.events(each)) };
    case "files":
      return withFiles();
    case "no-pictures":
      return { ...withFiles(), harnesses: [{ ...CLAUDE, capabilities: { ...CLAUDE.capabilities, native_image_attachments: false, structured_answer: false, fork: false } }] };
    case "silent":
      return { ...BUSY, silent: true };
    case "quit":
      return { ...BUSY, living: { turns: ["Find out why the map tiles load twice", PORT.chat_title], decisions: 1, queued: 2 } };
  }
}
