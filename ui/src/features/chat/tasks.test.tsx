// Tasks in the background: one row across turns, and a button that ends one.
import { act } from "react";
import { type Root, createRoot } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Transcript, emptyTranscript, ingestPage } from "../../state/transcript";
import type { ChatEvent, StoredEvent, Task, ToolCall, TurnEventBody } from "../../state/transcript-events";
import type { TaskRow } from "../../state/transcript-rows";
import { RowContext } from "./rows/context";
import { RowView } from "./rows/RowView";
import { hostWaits } from "./words";

const NO_USAGE = { input: null, output: null, cache_creation: null, cache_read: null, context_window: null, cost_usd: null };
let seq = 0;
function chat(body: ChatEvent, turn: string): StoredEvent {
  seq += 1;
  return { seq, at: seq * 10, turn, body };
}
const said = (event: TurnEventBody, turn: string) => chat({ kind: "turn", event }, turn);
const tool = (call: Partial<ToolCall>, turn: string) =>
  said({ type: "tool_call", id: "c", name: "Bash", status: "started", detail: null, input: null, output: null, error: null, task_id: "k", unasked: null, ...call }, turn);
const began = (turn: string) =>
  said({ type: "task_activity", task_id: "k", kind: "started", description: "Look around", summary: null, last_tool_name: null, usage: null }, turn);
const now = (status: Task["status"], turn: string, kind = "agent") =>
  said({ type: "tasks_changed", tasks: [{ id: "k", kind, description: "Look around", status, agent_type: null, error: null, summary: null }] }, turn);
const ended = (status: "succeeded" | "interrupted", turn: string) =>
  chat({ kind: "turn_ended", status, text: "", failure: null, delivery: "accepted", usage: NO_USAGE, duration_ms: 5 }, turn);

const all = (events: StoredEvent[]): Transcript => ingestPage(emptyTranscript(), events, { atStart: true, atEnd: true });
const tasks = (state: Transcript) => state.rows.filter((row): row is TaskRow => row.kind === "task");

describe("a task in the background", () => {
  it("stays one row when its turn was handed over, and its step ends where it began", () => {
    const state = all([began("t1"), tool({}, "t1"), ended("succeeded", "t1"), tool({ status: "succeeded" }, "t2"), now("completed", "t2")]);
    expect(tasks(state).map(({ state: is, turn }) => [is, turn])).toEqual([["completed", "t1"]]);
    expect(tasks(state)[0]?.children.map((child) => child.kind === "tool" && child.state)).toEqual(["succeeded"]);
  });

  it("is stopped with its steps when the turn was stopped", () => {
    const state = all([began("t1"), tool({}, "t1"), ended("interrupted", "t1")]);
    expect(tasks(state).map((row) => [row.state, row.children.map((child) => child.kind === "tool" && child.state)])).toEqual([["stopped", ["interrupted"]]]);
  });

  it("is another one when a name is used again", () => {
    const state = all([began("t1"), now("completed", "t1"), ended("succeeded", "t1"), began("t2")]);
    expect(tasks(state).map((row) => row.state)).toEqual(["completed", "running"]);
  });

  it("is what an answered turn waits for, and nothing of its own is said about the rest", () => {
    expect(hostWaits({ what: "background", detail: null, since: 5, until: null }, 9)).toEqual({ text: "Answered · works in the background", since: 5 });
    expect(all([said({ type: "resting", resting: true }, "t1")]).rows).toEqual([]);
  });
});

describe("ending a task", () => {
  let root: Root;
  let host: HTMLElement;
  const endTask = vi.fn<(task: string) => Promise<void>>();
  beforeEach(() => {
    host = document.body.appendChild(document.createElement("div"));
    root = createRoot(host);
    endTask.mockReset();
  });
  afterEach(async () => {
    await act(async () => root.unmount());
    host.remove();
  });

  async function draw(events: StoredEvent[]) {
    const actions = { chat: "c", receipt: () => Promise.reject(new Error("no receipt")), jump: async () => undefined, payload: async () => "", endTask, goOn: async () => undefined };
    await act(async () => root.render(<RowContext.Provider value={actions}>{tasks(all(events)).map((row) => <RowView key={row.id} row={row} />)}</RowContext.Provider>));
    await act(async () => host.querySelector("button")?.click());
  }
  const button = () => [...host.querySelectorAll("button")].find((each) => /task|Ending/.test(each.textContent ?? ""));

  it("asks the host by its name, and says why it cannot", async () => {
    endTask.mockRejectedValueOnce(new Error("This task does not work any more."));
    await draw([began("t1"), now("running", "t1", "shell")]);
    expect(host.textContent).toContain("Background command");
    await act(async () => button()?.click());
    expect(endTask.mock.calls).toEqual([["k"]]);
    expect(host.querySelector("[role=alert]")?.textContent).toContain("does not work any more");
  });

  it("is not offered for one that is over", async () => {
    await draw([began("t1"), now("completed", "t1")]);
    expect(button()).toBeUndefined();
  });
});
