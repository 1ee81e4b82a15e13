import { describe, expect, it } from "vitest";
import type { ChatSummary, Decision, DecisionState } from "../host";
import { chatRows, EMPTY_WORLD, fold, fromLists, MOST_CLOSED, oldestDecision, waitingCount } from "./world";

const chat = (id: string, over: Partial<ChatSummary> = {}): ChatSummary => ({
  id, workspace: "w", folder: "/srv/api", title: id, harness: "claude", endpoint: "account", model: null, reported_model: null, effort: null,
  mode: { mode: "default" }, state: "read", open_decisions: 0, waits: null, payer: null, session_id: null, last_seq: 0, read_seq: 0, queued: 0,
  queue_paused: null, usage: null, created_at: 0, updated_at: 1, archived: false, ...over,
});
const decision = (id: string, over: Partial<Decision> = {}): Decision => ({
  id, chat: "c", chat_title: "c", folder: "/srv/api", harness: "claude", turn: "t", state: "open", blocking: true, opened_at: 1, expires_at: null, answer: null,
  request: { kind: "plan", request: { id: "a", plan: { text: "", bytes: 0, truncated: false }, path: null } }, ...over,
});
const lists = (chats: ChatSummary[], decisions: Decision[] = []) => ({ chats, workspaces: [], decisions });

describe("the window's world", () => {
  it("is replaced by lists and changed by what is pushed", () => {
    const first = fromLists(EMPTY_WORLD, lists([chat("c"), chat("d")], [decision("x")]));
    expect(first.known).toBe(true);
    const next = fold(first, [
      { item: "chat", summary: chat("c", { state: "needs_you" }) },
      { item: "decision", decision: decision("y", { opened_at: 0 }) },
      { item: "decision", decision: decision("x", { state: "answered" }) },
    ]);
    expect(next.chats.get("c")?.state).toBe("needs_you");
    expect(waitingCount(next.decisions)).toBe(1);
    expect(oldestDecision(next.decisions)?.id).toBe("y");
    expect(first.decisions.get("x")?.state).toBe("open");
  });

  it("keeps a pushed chat that is newer than the list", () => {
    const pushed = fold(EMPTY_WORLD, [{ item: "chat", summary: chat("c", { title: "new", updated_at: 9 }) }]);
    expect(fromLists(pushed, lists([chat("c", { title: "old", updated_at: 3 })])).chats.get("c")?.title).toBe("new");
    expect(fromLists(pushed, lists([chat("c", { title: "newer", updated_at: 10 })])).chats.get("c")?.title).toBe("newer");
  });

  it("keeps the objects that nothing touched", () => {
    const first = fromLists(EMPTY_WORLD, lists([chat("c")]));
    const next = fold(first, [{ item: "decision", decision: decision("x") }]);
    expect(next.chats).toBe(first.chats);
    expect(next.workspaces).toBe(first.workspaces);
    expect(next.decisions).not.toBe(first.decisions);
    expect(first.decisions.size).toBe(0);
  });

  it("learns a folder from a new chat", () => {
    expect(fold(EMPTY_WORLD, [{ item: "chat", summary: chat("c") }]).workspaces.get("w")).toMatchObject({ path: "/srv/api", name: "api" });
  });

  it("forgets the decisions of a removed chat", () => {
    const first = fromLists(EMPTY_WORLD, lists([chat("c")], [decision("x"), decision("z", { chat: "d" })]));
    expect([...fold(first, [{ item: "chat_removed", chat: "c" }]).decisions.keys()]).toEqual(["z"]);
  });

  it("keeps a bounded number of closed decisions, and every open one", () => {
    const closed = (at: number, state: DecisionState = "delivered") => ({ item: "decision" as const, decision: decision(`d${at}`, { state }) });
    const next = fold(EMPTY_WORLD, [closed(-1, "open"), ...Array.from({ length: MOST_CLOSED + 10 }, (_, at) => closed(at))]);
    expect(next.decisions.size).toBe(MOST_CLOSED + 1);
    expect(next.decisions.has("d-1")).toBe(true);
    expect(next.decisions.has("d9")).toBe(false);
    expect(next.decisions.has("d10")).toBe(true);
  });

  it("can be asked for the same chat twice", () => {
    const ask = { item: "show", chat: "c", decision: null } as const;
    const once = fold(EMPTY_WORLD, [ask]);
    expect(fold(once, [ask]).shown).toEqual({ chat: "c", decision: null, count: 2 });
  });
});

describe("decisions", () => {
  const all = new Map(
    [decision("late", { opened_at: 9 }), decision("early", { opened_at: 2 }), decision("open", { opened_at: 0, blocking: false }), decision("gone", { opened_at: 0, state: "expired" })].map((each) => [each.id, each]),
  );

  it("count when a turn waits for them", () => expect(waitingCount(all)).toBe(2));
  it("go blocking first, then the oldest", () => expect(oldestDecision(all)?.id).toBe("early"));
  it("are none in an empty world", () => expect(oldestDecision(new Map())).toBeUndefined());
});

describe("rows", () => {
  it("mark practice, leave out what was put away, and wait since the oldest open decision", () => {
    const chats = new Map([chat("c", { endpoint: "practice", state: "needs_you", updated_at: 50 }), chat("a", { archived: true })].map((each) => [each.id, each]));
    const asked = new Map([decision("x", { opened_at: 7 }), decision("y", { opened_at: 3 }), decision("z", { opened_at: 1, state: "expired" })].map((each) => [each.id, each]));
    expect(chatRows(chats, asked)).toEqual([expect.objectContaining({ id: "c", practice: true, since: 3, state: "needs" })]);
  });
});
