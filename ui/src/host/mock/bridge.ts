// A scripted host, typed by the same words as the real one. `?scene=` chooses; the clock stands still.
import type { Batch, Bridge, ChatSummary, CommandError, Commands, Decision, EventPage, FeedItem, QueuedPrompt, Settings, StoredEvent } from "../contract";
import { files } from "./attachments";
import { trust } from "./trust";
import { HostError } from "../error";
import { NOW } from "./clock";
import { approval } from "./decisions";
import { HOME, recent, suggest } from "./folders";
import { checkStanding, saveStanding, standing } from "./standing";
import { endProcesses, processesOf } from "./processes";
import { lastStarts } from "./starts";
import { receiptOf } from "./receipt";
import { chat, sceneOf, SCENES, type SceneName } from "./scenes";
import { deltas, HUGE_EVENTS, hugeEvent } from "./transcript";

/** Time between two pieces of a scripted stream (ms). */
const PIECE_EVERY_MS = 40;
/** Events that open with a chat. */
const TAIL = 200;

function chosen(): SceneName {
  const asked = new URLSearchParams(globalThis.location?.search ?? "").get("scene");
  return SCENES.find((name) => name === asked) ?? "busy";
}

const name = chosen();
const scene = sceneOf(name);
const chats = new Map(scene.chats.map((each) => [each.id, each]));
const decisions = new Map(scene.decisions.map((each) => [each.id, each]));
const events = new Map<string, StoredEvent[]>();
const queues = new Map<string, QueuedPrompt[]>();
const drafts = new Map<string, string>();
for (const [place, list] of Object.entries(scene.files)) files.wait(place, list);
for (const [id, prompts] of Object.entries(scene.queues)) queues.set(id, prompts);
const reasons: string[] = ["Use the workspace's own script", "Not in this branch"];
const acknowledged: number[] = [];
const opened: string[] = [];
let grants = scene.grants;
let settings: Settings = { appearance: "system", notify_needs_you: true, notify_failed: true, notify_finished: true, notify_details: false, permits: 8, decision_hours: 168, turn_minutes: null, endpoint: "account" };
let count = 0;

const never = <T>(): Promise<T> => new Promise(() => undefined);
const ok = <T>(data: T): Promise<T> => (scene.silent ? never() : Promise.resolve(data));
const no = <T>(error: CommandError): Promise<T> => Promise.reject(new HostError(error));
/** A command that the failing scene refuses. */
const may = <T>(data: () => T): Promise<T> => (scene.fails ? no(scene.fails) : ok(data()));
const gone = <T>(what: string): Promise<T> => no({ kind: "not_found", message: `${what} is not there any more`, next_step: "Look again." });

let channel: { id: number; number: number; send: (batch: Batch) => void; chat: string | null } | null = null;

function push(...items: FeedItem[]): void {
  if (!channel) return;
  channel.number += 1;
  channel.send({ subscription: channel.id, number: channel.number, items });
}

function eventsOf(summary: ChatSummary): StoredEvent[] {
  const known = events.get(summary.id) ?? scene.events(summary);
  events.set(summary.id, known);
  return known;
}

function page(id: string, from: number, to: number): EventPage {
  const summary = chats.get(id);
  if (scene.huge && id === "c-needs") {
    const first = Math.max(from, 1);
    const last = Math.min(to, HUGE_EVENTS);
    return { events: Array.from({ length: Math.max(last - first + 1, 0) }, (_, at) => hugeEvent(first + at)), more_before: first > 1, more_after: last < HUGE_EVENTS };
  }
  const all = summary ? eventsOf(summary) : [];
  return { events: all.filter(({ seq }) => seq >= from && seq <= to), more_before: (all[0]?.seq ?? 1) < from, more_after: (all.at(-1)?.seq ?? 0) > to };
}

function lastOf(id: string): number {
  const summary = chats.get(id);
  return scene.huge && id === "c-needs" ? HUGE_EVENTS : ((summary ? eventsOf(summary).at(-1)?.seq : 0) ?? 0);
}

function change(id: string, over: Partial<ChatSummary>): Promise<null> {
  const known = chats.get(id);
  if (!known) return gone("The chat");
  chats.set(id, { ...known, ...over });
  push({ item: "chat", summary: { ...known, ...over } });
  return ok(null);
}

function setQueue(id: string, prompts: QueuedPrompt[]): void {
  queues.set(id, prompts);
  push({ item: "queue", chat: id, prompts });
}

function decided(id: string, decision: Decision, answer: string): Promise<Decision> {
  const closed: Decision = { ...decision, state: "delivered", answer };
  decisions.set(id, closed);
  const summary = chats.get(decision.chat);
  const left = [...decisions.values()].filter((each) => each.chat === decision.chat && each.state === "open").length;
  push({ item: "decision", decision: closed });
  if (summary) void change(summary.id, { open_decisions: left, state: left > 0 ? "needs_you" : "working", updated_at: NOW });
  return ok(closed);
}

function create(folder: string, prompt: string, over: Partial<ChatSummary>, beside: Partial<Extract<StoredEvent["body"], { kind: "prompt" }>> = {}, before: StoredEvent["body"][] = []): ChatSummary {
  count += 1;
  const made = chat(`c-new-${count}`, prompt.split("\n")[0]?.slice(0, 80) ?? "New chat", { folder, state: "working", updated_at: NOW, waits: { what: "start", detail: null, since: NOW, until: null }, last_seq: 1 + before.length, read_seq: 1, ...over });
  chats.set(made.id, made);
  const bodies: StoredEvent["body"][] = [...before, { kind: "prompt", text: prompt, ...beside }];
  events.set(made.id, bodies.map((body, at) => ({ seq: at + 1, at: NOW, turn: null, body })));
  push({ item: "chat", summary: made });
  return made;
}

const commands: Commands = {
  boot: () => ok({ version: "0.1.0", platform: "linux", home: HOME, data_dir: `${HOME}/.local/share/paddock`, open_chat: null, store: { state: "ready" } }),
  acknowledge: (_subscription, batch) => {
    acknowledged.push(batch);
    return ok(undefined);
  },
  listWorkspaces: () => may(() => scene.workspaces),
  removeWorkspace: () => ok(null),
  listChats: (cursor, limit) =>
    may(() => {
      const from = Number(cursor ?? 0);
      const all = [...chats.values()];
      return { chats: all.slice(from, from + limit), next: from + limit < all.length ? String(from + limit) : null };
    }),
  openChat: (id) => {
    const summary = chats.get(id);
    if (!summary) return gone("The chat");
    const last = lastOf(id);
    return may(() => ({ summary, tail: page(id, last - TAIL + 1, last), decisions: [...decisions.values()].filter((each) => each.chat === id && each.state === "open"), queue: queues.get(id) ?? [], draft: drafts.get(id) ?? "" }));
  },
  eventsBefore: (id, before, limit) => may(() => page(id, before - limit, before - 1)),
  eventsAfter: (id, after, limit) => may(() => page(id, after + 1, after + limit)),
  event: (id, seq) => {
    const found = page(id, seq, seq).events[0];
    return found ? may(() => found) : gone("The event");
  },
  createChat: (asked) => may(() => create(asked.folder, asked.prompt, { endpoint: asked.endpoint, mode: asked.mode, model: asked.model, effort: asked.effort }, { attachments: files.sent(asked.attachments), schema: asked.schema })),
  startPractice: () => may(() => create(`${HOME}/.local/share/paddock/practice`, "A tour of approvals", { endpoint: "practice", payer: null })),
  forkChat: (id, prompt) => may(() => create(chats.get(id)?.folder ?? HOME, prompt.text, {}, { attachments: files.sent(prompt.attachments), schema: prompt.schema }, [{ kind: "forked_from", chat: id, title: chats.get(id)?.title ?? "" }])),
  sendPrompt: (id, { text, attachments: ids, schema }) => {
    const running = ["working", "quiet", "needs_you", "waiting"].includes(chats.get(id)?.state ?? "");
    count += 1;
    if (running) setQueue(id, [...(queues.get(id) ?? []), { id: `q-${count}`, text, attachments: files.sent(ids), schema, created_at: NOW }]);
    return may(() => (running ? "queued" : "started"));
  },
  editQueued: (chat, id, text) => {
    const waiting = queues.get(chat) ?? [];
    if (!waiting.some((prompt) => prompt.id === id)) return gone("The prompt");
    setQueue(chat, waiting.map((prompt) => (prompt.id === id ? { ...prompt, text } : prompt)));
    return ok(null);
  },
  removeQueued: (chat, id) => {
    const waiting = queues.get(chat) ?? [];
    if (!waiting.some((prompt) => prompt.id === id)) return gone("The prompt");
    setQueue(chat, waiting.filter((prompt) => prompt.id !== id));
    return ok(null);
  },
  resumeQueue: (id) => change(id, { queue_paused: null }),
  compactChat: (id) => change(id, { state: "working" }),
  stopTurn: (id) => change(id, { state: "read", waits: null }),
  stopTask: () => ok(null),
  killTurn: (id) => change(id, { state: "failed", waits: null }),
  setMode: (id, mode) => change(id, { mode }).then(() => "now" as const),
  setModel: (id, model) => change(id, { model }).then(() => "now" as const),
  setEffort: (id, effort) => change(id, { effort }).then(() => "now" as const),
  renameChat: (id, title) => change(id, { title }),
  archiveChat: (id, archived) => change(id, { archived }),
  deleteChat: (id) => {
    chats.delete(id);
    push({ item: "chat_removed", chat: id });
    return ok(null);
  },
  saveDraft: (key, text) => {
    drafts.set(key, text);
    return ok(null);
  },
  draft: (key) => ok(drafts.get(key) ?? ""),
  markRead: (id, seq) => {
    const known = chats.get(id);
    return change(id, { read_seq: seq, state: known?.state === "finished" || known?.state === "failed" ? "read" : (known?.state ?? "read") });
  },
  searchChat: (id, query, limit) =>
    may(() =>
      page(id, 1, lastOf(id))
        .events.filter(({ body }) => JSON.stringify(body).toLowerCase().includes(query.toLowerCase()))
        .slice(0, limit)
        .map(({ seq, body }) => ({ seq, snippet: JSON.stringify(body).slice(0, 120) })),
    ),
  turnReceipt: (id, end) => {
    const { turn } = page(id, end, end).events[0] ?? { turn: null };
    return turn === null ? gone("The receipt") : may(() => receiptOf(page(id, Math.max(end - TAIL, 1), end).events.filter((event) => event.turn === turn)));
  },
  chatProcesses: (id) => {
    const summary = chats.get(id);
    return summary ? may(() => processesOf(summary)) : gone("The chat");
  },
  endChatProcesses: (_id, marker) => may(() => endProcesses(marker)),
  lastStarts: () => may(() => lastStarts([...chats.values()])),
  decisions: () => may(() => [...decisions.values()].filter(({ state }) => state === "open")),
  decision: (id) => {
    const found = decisions.get(id);
    return found ? ok(found) : gone("The decision");
  },
  decide: (id, answer) => {
    const found = decisions.get(id);
    if (!found) return gone("The decision");
    if (found.state !== "open") return no({ kind: "already_answered", message: "This was answered elsewhere", next_step: "Nothing to do." });
    return scene.fails ? no(scene.fails) : decided(id, found, "decision" in answer.answer ? answer.answer.decision.replaceAll("_", " ") : "answered");
  },
  denyReasons: () => ok(reasons),
  listGrants: () => may(() => grants),
  revokeGrant: (id) => {
    const known = grants.some((grant) => grant.id === id);
    grants = grants.filter((grant) => grant.id !== id);
    return known ? ok(null) : gone("The grant");
  },
  suggestFolders: (input, limit) => ok(suggest(input, limit)),
  recentFolders: () => ok(name === "empty" ? [] : recent()),
  harnesses: () => may(() => scene.harnesses),
  checkHarness: (id) => {
    const card = scene.harnesses.find((each) => each.id === id);
    return card ? may(() => ({ ...card, authentication_at: card.authentication ? NOW : null })) : gone("The harness");
  },
  checkQuota: (id) => {
    const card = scene.harnesses.find((each) => each.id === id);
    return card ? may(() => ({ ...card, account_usage_at: NOW })) : gone("The harness");
  },
  settings: () => may(() => settings),
  saveSettings: (next) =>
    may(() => {
      settings = { ...settings, ...next };
      return null;
    }),
  standingContext: () => may(standing),
  checkStandingContext: (context) => may(() => checkStanding(context)),
  saveStandingContext: (context) => may(() => saveStanding(context)),
  living: () => ok(scene.living ?? { turns: [], decisions: 0, queued: 0 }),
  quit: (force) => (scene.living && !force ? no({ kind: "living", message: "Turns are running", next_step: "Stop them, or stay." }) : ok(null)),
  diagnosticsBundle: () => may(() => `${HOME}/.local/share/paddock/diagnostics-2026-03-14.zip`),
  ...files.commands,
  ...trust,
  openLink: (url) => {
    opened.push(url);
    return ok(null);
  },
};

/** The stream of the scripted turn; starts when its chat is on screen. */
function stream(id: string): void {
  const pieces = deltas(id, lastOf(id) + 1);
  const mine = channel;
  const timer = setInterval(() => {
    const next = pieces.shift();
    if (!next || channel !== mine) return clearInterval(timer);
    events.get(id)?.push(next);
    push({ item: "event", chat: id, from_seq: next.seq, event: next });
  }, PIECE_EVERY_MS);
}

export const bridge: Bridge = {
  commands: counted(commands),
  subscribe: (subscription, onBatch) => {
    if (scene.silent) return never();
    channel = { id: (channel?.id ?? 0) + 1, number: 0, send: onBatch, chat: subscription.chat };
    const { living } = scene;
    if (living) setTimeout(() => push({ item: "quit_asked", living }), 0);
    if (name === "streaming" && subscription.chat === "c-work") setTimeout(() => stream("c-work"), 0);
    return ok(channel.id);
  },
  setTheme: () => Promise.resolve(),
};

/** A decision ends without an answer of this window. */
function overtake(id: string, state: Decision["state"], answer: string | null = null): void {
  const found = decisions.get(id);
  if (!found) return;
  const decision = { ...found, state, answer };
  decisions.set(id, decision);
  push({ item: "decision", decision });
}

/** A chat asks for leave for one more step. */
function ask(id: string): void {
  count += 1;
  const summary = chats.get(id);
  if (!summary) return;
  const decision = approval(`d-new-${count}`, { chat: id, chat_title: summary.title, folder: summary.folder }, 0, "npm run build", "Build it");
  decisions.set(decision.id, decision);
  push({ item: "decision", decision });
}

/** Every command by its name, as the page has called them. */
const asked: string[] = [];
function counted(all: Commands): Commands {
  const entries = Object.entries(all) as Array<[string, (...args: unknown[]) => Promise<unknown>]>;
  return Object.fromEntries(
    entries.map(([command, run]) => [
      command,
      (...args: unknown[]) => {
        if (command !== "acknowledge") asked.push(command);
        return run(...args);
      },
    ]),
  ) as unknown as Commands;
}

/** For tests in the page: what the scripted host has seen, and a way to push items. */
export const script = { push, overtake, ask, asked, acknowledged, opened, drafts, now: NOW };
if (typeof window !== "undefined") {
  Object.assign(window, { paddockScript: script });
  // The scene's own clock begins at its moment and goes on from there, unless a test has set one that stands.
  if (import.meta.env.MODE === "mock" && Date.now() !== NOW) Date.now = () => NOW + performance.now();
}
