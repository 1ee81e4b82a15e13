import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "@testing-library/react";
import { type Root, createRoot } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ProcessTree } from "../../host";
import { type LoadedEvent, emptyTranscript, ingestPage } from "../../state/transcript";
import type { ChatEvent, Receipt, TurnEventBody } from "../../state/transcript-events";
import type { LiveTurn, ToolRow } from "../../state/transcript-rows";
import { ChatView } from "./ChatView";
import type { ChatHead, ChatPort, Follower } from "./port";
import { STILL_STOPPING_MS } from "./StatusLine";
import { RowContext } from "./rows/context";
import { RowView } from "./rows/RowView";
import { cost, duration, waitsFor } from "./words";

let seq = 0;
const chat = (body: ChatEvent, turn = "t"): LoadedEvent => ({ seq: ++seq, at: Date.now(), turn, body });
const turn = (event: TurnEventBody) => chat({ kind: "turn", event });
const payload = (text: string) => ({ text, bytes: text.length, truncated: false });
const NO_USAGE = { input: null, output: null, cache_creation: null, cache_read: null, context_window: null, cost_usd: null };
const ended = (more: Partial<Extract<ChatEvent, { kind: "turn_ended" }>> = {}) =>
  chat({ kind: "turn_ended", status: "succeeded", text: "", usage: NO_USAGE, failure: null, delivery: "accepted", duration_ms: 1_000, ...more });
const HEAD: ChatHead = {
  title: "Fix the feed", folder: "/home/ada/paddock", harness: "Claude Code", target: null, modelAsked: "sonnet", modelReported: null,
  mode: "default", payer: null, practice: false, status: "idle", since: null, waits: null,
};

let host: HTMLElement;
let root: Root;
let stored: LoadedEvent[];
let follower: Follower | null;
let told: string[];
let watcher: MutationObserver;
const stop = vi.fn();
const kill = vi.fn();
const send = vi.fn();

const RECEIPT: Receipt = {
  turn: "t", commands: [], files: [], hosts: [], unasked: [], decisions: [], model: null, payer: null, usage: null, took_ms: null, start: null, whole: true,
  counts: { commands: 0, files: 0, hosts: 0, decisions: 0, unasked: 0, failed: 0, denied: 0 },
};
const port = (): ChatPort => ({
  chat: "c",
  receipt: async () => RECEIPT,
  processes: async () => ({ trees: [] }),
  endProcesses: async () => undefined,
  before: async (before, limit) => {
    const all = before === null ? stored : stored.filter((e) => e.seq < before);
    return { events: all.slice(-limit), moreBefore: all.length > limit, moreAfter: before !== null };
  },
  after: async (after, limit) => {
    const all = stored.filter((e) => e.seq > after);
    return { events: all.slice(0, limit), moreBefore: true, moreAfter: all.length > limit };
  },
  follow: (next) => {
    follower = next;
    return () => (follower = null);
  },
  endTask: async () => undefined,
  payload: async () => "whole",
  search: async (query) => stored.filter((e) => JSON.stringify(e.body).includes(query)).map((e) => ({ seq: e.seq, snippet: "" })),
  openLink: vi.fn(),
  stop,
  kill,
  send,
  read: vi.fn(),
});

let client: QueryClient;
const asked = (shown: React.ReactNode) => <QueryClientProvider client={client}>{shown}</QueryClientProvider>;
async function show(head: Partial<ChatHead> = {}, own = port()) {
  await act(async () => root.render(asked(<ChatView port={own} head={{ ...HEAD, ...head }} />)));
  await act(async () => {});
  const announcer = host.querySelector("[data-announcer]") as HTMLElement;
  watcher = new MutationObserver(() => told.push(announcer.textContent ?? ""));
  watcher.observe(announcer, { childList: true, characterData: true, subtree: true });
  return own;
}
async function happen(events: LoadedEvent[]) {
  stored.push(...events);
  await act(async () => follower?.take(events));
}
const button = (label: string) => [...host.querySelectorAll<HTMLButtonElement>("button")].find((b) => b.textContent?.trim().startsWith(label)) as HTMLButtonElement;

beforeEach(() => {
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  seq = 0;
  stored = [];
  follower = null;
  told = [];
  host = document.createElement("div");
  document.body.append(host);
  root = createRoot(host);
  for (const call of [stop, kill, send]) call.mockReset().mockResolvedValue(undefined);
});
afterEach(() => {
  watcher?.disconnect();
  act(() => root.unmount());
  host.remove();
  vi.useRealTimers();
});

describe("announcements", () => {
  it("makes at most three for a turn of a thousand deltas", async () => {
    stored = [chat({ kind: "prompt", text: "go" })];
    await show();
    await happen([chat({ kind: "turn_started", resumed: false })]);
    for (let i = 0; i < 100; i += 1) {
      await happen(Array.from({ length: 10 }, () => turn({ type: "text_delta", message_id: "m", block: 0, text: "word ", task_id: null })));
    }
    await happen([turn({ type: "message_completed", id: "m", block: 0, text: payload("word ".repeat(1_000)), replaces: [], task_id: null }), ended()]);
    expect(told.length).toBeGreaterThan(0);
    expect(told.length).toBeLessThanOrEqual(3);
    expect(told.at(-1)).toBe("The turn is done.");
  });

  it("makes exactly one for a decision, and none for what was there before", async () => {
    const plan = (id: string) => turn({ type: "plan_approval_requested", id, plan: payload("# x"), path: null });
    stored = [chat({ kind: "prompt", text: "go" }), chat({ kind: "turn_started", resumed: false }), plan("1")];
    await show();
    expect(told).toEqual([]);
    await happen([plan("2")]);
    await happen([turn({ type: "text_delta", message_id: "m", block: 0, text: "x", task_id: null })]);
    expect(told).toEqual(["A plan waits for you."]);
  });
});

describe("a running turn", () => {
  const base: LiveTurn = { id: "t", startedAt: 0, lastAt: 0, phase: "model", since: 0, retry: null, running: [] };
  const step = { kind: "tool", state: "started", detail: { kind: "command", command: "cargo test", background: false } } as ToolRow;

  it("says what it waits for and since when", () => {
    expect(waitsFor(base, 5_000, null)).toEqual({ text: "Waiting for the model", since: 0 });
    expect(waitsFor({ ...base, phase: "tool" }, 5_000, step).text).toBe("Running cargo test");
    expect(waitsFor({ ...base, phase: "tool" }, 125_000, step).text).toBe("Quiet 2 min 5 s · cargo test runs");
    const retry = { attempt: 3, max: 10, until: 8_000, reason: null };
    expect(waitsFor({ ...base, phase: "retry", retry }, 0, null).text).toBe("Retry 3 of 10 in 8 s");
    expect(waitsFor({ ...base, phase: "decision" }, 500_000, null).text).toBe("Waits for your answer");
  });

  it("stops, and offers to kill only when stopping takes long", async () => {
    vi.useFakeTimers();
    stored = [chat({ kind: "prompt", text: "go" }), chat({ kind: "turn_started", resumed: false })];
    await show({ status: "running" });
    await act(async () => button("Stop").click());
    expect(stop).toHaveBeenCalledTimes(1);
    expect(host.textContent).toContain("Stopping…");
    expect(button("Kill")).toBeUndefined();
    await act(async () => vi.advanceTimersByTime(STILL_STOPPING_MS + 100));
    expect(host.textContent).toContain("Still stopping…");
    await act(async () => button("Kill the process tree").click());
    expect([stop.mock.calls.length, kill.mock.calls.length]).toEqual([1, 1]);
  });
});

describe("loading", () => {
  it("keeps what happens between the first page and the feed, and asks for what is missing", async () => {
    stored = [chat({ kind: "prompt", text: "one" })];
    const own = await show();
    const lost = chat({ kind: "prompt", text: "two" });
    stored.push(lost);
    await happen([chat({ kind: "prompt", text: "three" })]);
    await act(async () => {});
    expect(follower?.since()).toBe(3);
    expect(own).toBeTruthy();
  });

  it("says what failed and reads again", async () => {
    const own = port();
    const good = own.before;
    own.before = () => Promise.reject(new Error("the store is locked"));
    await act(async () => root.render(asked(<ChatView port={own} head={HEAD} />)));
    await act(async () => {});
    expect(host.textContent).toContain("the store is locked");
    own.before = good;
    stored = [chat({ kind: "prompt", text: "one" })];
    await act(async () => button("Read again").click());
    await act(async () => {});
    expect(host.textContent).not.toContain("the store is locked");
  });
});

describe("steps, questions and ends", () => {
  const bash = (id: string, status: "started" | "failed") =>
    turn({
      type: "tool_call", id, name: "Bash", status, detail: { kind: "command", command: `make ${id}`, background: false }, input: payload("{}"),
      output: null, error: status === "failed" ? "The user doesn't want to proceed" : null, task_id: null, unasked: false,
    });
  const ask = (id: string, call: string) =>
    turn({
      type: "approval_requested", id, tool_name: "Bash", tool_call_id: call, input: payload("{}"), detail: { kind: "command", command: "x", background: false },
      description: null, blocked_path: null, agent_id: null, mcp_server: null, scope: null, editable: false,
    });
  const answer = (id: string, words: string) => chat({ kind: "decision_answered", decision: `d-${id}`, ask: id, answer: words });
  // A virtual list draws nothing where nothing has a size: the rows are drawn as they are.
  async function rows(events: LoadedEvent[], receipt: () => Promise<Receipt> = async () => RECEIPT, jump: (seq: number) => Promise<void> = async () => undefined) {
    const { rows } = ingestPage(emptyTranscript(), events, { atEnd: true });
    await act(async () =>
      root.render(
        asked(
          <RowContext.Provider value={{ chat: "c", receipt, jump, payload: async () => "", endTask: async () => undefined, goOn: async () => undefined }}>
            {rows.map((row) => <RowView key={row.id} row={row} />)}
          </RowContext.Provider>,
        ),
      ),
    );
    await act(async () => {});
    return host.textContent ?? "";
  }

  it("says of a denied step that it was denied, of a failed one that it failed", async () => {
    const text = await rows([
      bash("a", "started"), ask("1", "a"), answer("1", "denied: not here"), bash("a", "failed"),
      bash("b", "started"), ask("2", "b"), bash("b", "failed"), answer("2", "denied and stopped"),
      bash("c", "started"), ask("3", "c"), answer("3", "allowed once"), bash("c", "failed"),
      bash("d", "started"), ask("4", "d"), turn({ type: "decision_closed", id: "4", by: { by: "expired" } }), bash("d", "failed"),
    ]);
    const states = [...host.querySelectorAll("[data-testid=row-tool]")].map((row) => [row.getAttribute("data-state"), row.textContent?.split("make")[0]]);
    expect(states).toEqual([["denied", "Denied"], ["denied", "Denied"], ["failed", "Running"], ["denied", "Denied"]]);
    expect(text).toContain("make anot here");
  });

  it("tells of a step and of its question in one line", async () => {
    await rows([bash("a", "started"), ask("1", "a"), answer("1", "allowed for this chat")]);
    expect(host.children).toHaveLength(1);
    expect(host.textContent).toContain("make aallowed for this chat, running");
    // One that is about a step that is not on screen by itself keeps its line.
    expect(await rows([ask("2", "elsewhere")])).toContain("waits for you");
    expect(host.querySelector("[data-testid=row-tool]")).toBeNull();
  });

  it("says of a step that a grant allowed that nobody was asked again", async () => {
    const grant = { id: "g", harness: "claude", scope: { tool: "Bash", key: "k", shown: "this exact command" }, granted_at: 1, until: null };
    const allowed = (command: string) => turn({ type: "step_allowed", id: "k", tool_name: "Bash", detail: { kind: "command", command, background: false }, grant });
    expect(await rows([bash("a", "started"), allowed("make a")])).toContain("make aby your grant, running");
    expect(await rows([bash("a", "started"), allowed("make b")])).toContain("Allowed by your grant: this exact command");
  });

  it("says of a step that waits for an answer that it waits, and counts no time of it", async () => {
    const state = () => host.querySelector("[data-testid=row-tool]");
    await rows([bash("a", "started"), ask("1", "a")]);
    expect([state()?.getAttribute("data-state"), state()?.textContent]).toEqual(["waits", "Waitsmake afor your answer"]);
    await rows([bash("a", "started"), ask("1", "a"), answer("1", "allowed once")]);
    expect([state()?.getAttribute("data-state"), state()?.textContent?.startsWith("Running")]).toEqual(["started", true]);
    await rows([bash("a", "started"), ask("1", "a"), answer("1", "denied")]);
    expect(state()?.getAttribute("data-state")).toBe("denied");
  });

  it("shows a question and its answer as lines to read", async () => {
    const question = turn({
      type: "question_requested", id: "q1", native: payload("{}"),
      prompts: [{ key: "k", header: null, question: "Which fruit?", options: [], multi_select: false, free_text: true }],
    });
    const text = await rows([question, answer("q1", "answered: A ripe pear")]);
    expect(text).toBe("Which fruit?You answered A ripe pear");
  });

  it("tells a decision that a restart cut off from one that the end of its turn did", async () => {
    const open = () => turn({ type: "plan_approval_requested", id: "p", plan: payload("# x"), path: null });
    expect(await rows([open(), chat({ kind: "interrupted", delivery: "possibly_sent" })])).toContain("interrupted by a restart");
    expect(await rows([open(), ended({ status: "interrupted" })])).toContain("interrupted: the turn ended first");
  });
});

describe("the receipt", () => {
  const step = (over: Partial<Receipt["commands"][number]>) => ({ seq: 7, what: "command" as const, text: "make", outcome: "done" as const, unasked: false, ...over });
  async function receipt(over: Partial<Receipt>, jump: (seq: number) => Promise<void> = async () => undefined, ask = async () => ({ ...RECEIPT, ...over })) {
    const { rows } = ingestPage(emptyTranscript(), [ended({ duration_ms: 12_000, usage: { ...NO_USAGE, input: 4_000, output: 100, cost_usd: 0.2 } })], { atEnd: true });
    const row = rows[0];
    if (!row) throw new Error("no ending");
    await act(async () =>
      root.render(asked(<RowContext.Provider value={{ chat: "c", receipt: ask, jump, payload: async () => "", endTask: async () => undefined, goOn: async () => undefined }}><RowView row={row} /></RowContext.Provider>)),
    );
    await act(() => new Promise((done) => setTimeout(done, 10)));
    const line = host.querySelector<HTMLButtonElement>("[data-testid=receipt] > button") as HTMLButtonElement;
    return { line: line.textContent, unfold: () => act(async () => line.click()) };
  }

  it("counts by what the host says, not by what is on the page", async () => {
    const counts = { ...RECEIPT.counts, commands: 3, files: 2, unasked: 1 };
    const { line } = await receipt({ counts, payer: { source: "subscription", label: null } });
    expect(line).toBe("Done3 commands · 2 files · 1 without asking · 12 s · 4.1k tokens · ≈ $0.20 list price, in your plan");
  });

  it("lists each step with the way to it, and how each decision ended", async () => {
    const gone: number[] = [];
    const { unfold } = await receipt(
      {
        counts: { ...RECEIPT.counts, commands: 210, decisions: 2, unasked: 1 },
        commands: Array.from({ length: 9 }, (_, at) => step({ seq: 10 + at, text: `make ${at}`, outcome: at === 1 ? "failed" : "done", unasked: at === 0 })),
        unasked: [step({ what: "read", text: "a.ts" })],
        decisions: [
          { seq: 3, asked: "approval", subject: "make 0", answer: "allowed once", closed: { by: "person" } },
          { seq: 4, asked: "approval", subject: "make 1", answer: "this exact command", closed: { by: "grant", grant_id: "g" } },
        ],
      },
      async (seq) => void gone.push(seq),
    );
    await unfold();
    const places = [...host.querySelectorAll("li")].map((place) => place.textContent);
    expect(places.slice(0, 2)).toEqual(["make 0ran without asking", "make 1failed"]);
    expect(places).toHaveLength(8 + 2 + 1);
    expect(places.slice(8)).toEqual(["Approvalmake 0allowed once", "Approvalmake 1allowed by your grant: this exact command", "Reada.ts"]);
    expect(host.textContent).toContain("201 more are in the chat");
    await act(async () => button("make 1").click());
    await act(async () => button("Show all 9").click());
    await act(async () => button("make 8").click());
    expect(gone).toEqual([11, 18]);
    expect(host.textContent).toContain("Paid byunknown");
  });

  it("says when it could not be read, and what that means", async () => {
    const { line, unfold } = await receipt({}, undefined, () => Promise.reject(new Error("the store is locked")));
    expect(line).toContain("12 s · 4.1k tokens · its steps could not be read");
    await unfold();
    expect(host.querySelector("[role=alert]")?.textContent).toContain("the store is locked");
  });
});

describe("the living processes", () => {
  const process = { pid: 7, command: ["npm", "run", "dev"], since: 0, detached: true };
  const trees: ProcessTree[] = [
    { marker: "k", role: "kept", kept_until: new Date(2026, 0, 1, 14, 5).getTime(), more: 0, processes: [{ ...process, pid: 6, command: ["claude"], detached: false }] },
    { marker: "l", role: "left", kept_until: null, more: 1, processes: [process] },
  ];

  it("are counted above the chat, and each tree is ended by itself", async () => {
    const gone: string[] = [];
    const own = { ...port(), processes: async () => ({ trees: trees.filter(({ marker }) => !gone.includes(marker)) }), endProcesses: async (marker: string) => void gone.push(marker) };
    await show({}, own);
    await act(() => new Promise((done) => setTimeout(done, 10)));
    await act(async () => button("3 processes").click());
    await act(() => new Promise((done) => setTimeout(done, 10)));
    const sheet = () => document.body.textContent ?? "";
    expect(sheet()).toMatch(/Kept for the next prompt until (14:05|02:05)/);
    expect(sheet()).toContain("npm run dev");
    expect(sheet()).toContain("and 1 more");
    const end = [...document.querySelectorAll<HTMLButtonElement>("button")].find((each) => each.textContent === "End");
    await act(async () => end?.click());
    await act(() => new Promise((done) => setTimeout(done, 10)));
    expect(gone).toEqual(["l"]);
    expect(sheet()).not.toContain("npm run dev");
  });

  it("are not spoken of where there are none", async () => {
    await show();
    await act(() => new Promise((done) => setTimeout(done, 10)));
    expect(host.querySelector("header")?.textContent).not.toMatch(/process/);
  });
});

describe("words", () => {
  it("says practice instead of a price", () => {
    expect(cost(0.184, { source: "practice", label: null })).toBe("practice");
  });

  it("writes durations for people", () => {
    expect([120, 950, 12_400, 185_000, 3_600_000, 7_800_000].map(duration)).toEqual(["0.1 s", "1 s", "12 s", "3 min 5 s", "1 h", "2 h 10 min"]);
  });

  it("never calls a list price a bill", () => {
    const payer = (source: string) => ({ source, label: null });
    expect(cost(0.184, payer("subscription"))).toBe("≈ $0.18 list price, in your plan");
    expect(cost(0.184, payer("Max plan"))).toBe("≈ $0.18 list price, in your plan");
    expect(cost(0.184, payer("api_key"))).toBe("$0.18");
    expect(cost(0.184, null)).toBe("≈ $0.18 list price");
    expect(cost(null, payer("api_key"))).toBeNull();
  });

  it("shows who pays as unknown when it is unknown", async () => {
    await show();
    expect(host.querySelector("header")?.textContent).toContain("payer unknown");
  });
});
