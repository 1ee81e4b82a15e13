import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_LOADED_EVENTS, type Transcript, emptyTranscript, ingestLive, ingestPage, prune } from "./transcript";
import type { ChatEvent, StoredEvent, ToolCall, TurnEventBody } from "./transcript-events";
import type { Row, ToolRow } from "./transcript-rows";

let seq = 0;
function chat(body: ChatEvent, turn: string | null = "t1"): StoredEvent {
  seq += 1;
  return { seq, at: seq * 10, turn, body };
}
const event = (body: TurnEventBody, turn: string | null = "t1") => chat({ kind: "turn", event: body }, turn);
const payload = (text: string) => ({ text, bytes: text.length, truncated: false });
const delta = (id: string, text: string, block = 0, task: string | null = null) =>
  event({ type: "text_delta", message_id: id, block, text, task_id: task });
const full = (id: string, text: string, replaces: string[] = [], block = 0) =>
  event({ type: "message_completed", id, block, text: payload(text), replaces, task_id: null });
const tool = (call: Partial<ToolCall>) =>
  event({
    type: "tool_call", id: "c1", name: "Bash", status: "started", detail: null, input: null, output: null, error: null,
    task_id: null, unasked: null, ...call,
  });
const started = () => chat({ kind: "turn_started", resumed: false });
const ended = (status: "succeeded" | "failed" | "interrupted" = "succeeded") =>
  chat({ kind: "turn_ended", status, text: "", failure: null, delivery: "accepted", usage: NO_USAGE, duration_ms: 5 });

const NO_USAGE = { input: null, output: null, cache_creation: null, cache_read: null, context_window: null, cost_usd: null };

function all(events: StoredEvent[]): Transcript {
  return ingestPage(emptyTranscript(), events, { atStart: true, atEnd: true });
}
const texts = (state: Transcript) => state.rows.filter((r) => r.kind === "text").map((r) => r.kind === "text" && r.text);

/** A turn that touches every kind of row, with late, doubled and orphaned events in it. */
function richTurn(turn: string): StoredEvent[] {
  const on = (events: StoredEvent[]) => events.map((e) => ({ ...e, turn }));
  return on([
    chat({ kind: "prompt", text: "do it" }),
    chat({ kind: "turn_queued" }),
    started(),
    event({ type: "reasoning_delta", message_id: "m0", block: 0, text: "thinking", task_id: null }),
    delta("m1", "\n"),
    delta("m1", "Ten "),
    event({ type: "payer", source: "subscription", label: "Max" }),
    delta("m1", "green bottles"),
    tool({ id: "a", status: "started" }),
    event({ type: "tool_output_delta", id: "a", text: "line 1\n" }),
    full("m1", "Ten green bottles"),
    tool({ id: "a", status: "succeeded", output: payload("done") }),
    tool({ id: "a", status: "started" }),
    tool({ id: "orphan", status: "failed", error: "no start" }),
    tool({ id: null, name: "Read", status: "started" }),
    tool({ id: null, name: "Read", status: "succeeded" }),
    delta("draft", "taken back"),
    event({ type: "text_withdrawn", message_id: "draft" }),
    delta("old", "old text"),
    full("new", "new text", ["old"]),
    tool({ id: "sub", status: "started", task_id: "task1" }),
    delta("ms", "in the subagent", 0, "task1"),
    event({ type: "task_activity", task_id: "task1", kind: "completed", description: "look", summary: "found", last_tool_name: null, usage: null }),
    event({ type: "plan_approval_requested", id: "ask9", plan: payload("# Plan"), path: null }),
    chat({ kind: "decision_answered", decision: "d1", ask: "ask9", answer: "approved" }),
    event({ type: "decision_closed", id: "ask9", by: { by: "person" } }),
    event({ type: "unknown", kind: "weather_note", raw: payload("{}") }),
    event({ type: "retry_scheduled", attempt: 1, max_attempts: 10, delay_ms: 800, status: 529, reason: null }),
    tool({ id: "open", status: "started" }),
    ended("interrupted"),
  ]);
}

describe("transcript", () => {
  it("gives the same rows however the events are cut, doubled and ordered into pages", () => {
    const events = [...richTurn("t1"), ...richTurn("t2"), ...richTurn("t3")];
    const whole = all(events);
    expect(whole.rows.length).toBeGreaterThan(30);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: events.length - 1 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 0, max: 4 }),
        fc.boolean(),
        (middle, backSizes, liveSizes, overlap, liveFirst) => {
          let before = middle;
          let after = middle;
          let state = ingestPage(emptyTranscript(), events.slice(Math.max(0, middle - 1), middle), { atEnd: true });
          const back = () => {
            for (let i = 0; before > 0; i += 1) {
              const size = backSizes[i % backSizes.length] as number;
              const from = Math.max(0, before - size);
              state = ingestPage(state, events.slice(from, Math.min(events.length, before + overlap)).filter((e) => e.seq <= (state.events.at(-1)?.seq ?? 0)), {});
              before = from;
            }
          };
          const forward = () => {
            for (let i = 0; after < events.length; i += 1) {
              const size = liveSizes[i % liveSizes.length] as number;
              state = ingestLive(state, events.slice(Math.max(0, after - overlap), after + size));
              after += size;
            }
          };
          if (liveFirst) {
            forward();
            back();
          } else {
            back();
            forward();
          }
          expect(state.rows).toEqual(whole.rows);
          expect(state.latest).toEqual(whole.latest);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("shows one text for deltas and the complete message, also with an invisible event between", () => {
    const state = all([started(), delta("m1", "\n"), delta("m1", "Ten "), event({ type: "payer", source: "x", label: null }), delta("m1", "green bottles"), full("m1", "Ten green bottles"), ended()]);
    expect(texts(state)).toEqual(["Ten green bottles"]);
  });

  it("keeps two different messages with identical text", () => {
    expect(texts(all([started(), full("m1", "Done."), full("m2", "Done."), ended()]))).toEqual(["Done.", "Done."]);
  });

  it("keeps the record against late deltas", () => {
    expect(texts(all([delta("m1", "ab"), full("m1", "abc"), delta("m1", "c")]))).toEqual(["abc"]);
  });

  it("puts a replacing message in the place of the replaced", () => {
    const state = all([delta("a", "draft"), tool({}), full("b", "final", ["a"])]);
    expect(state.rows.map((r) => r.kind)).toEqual(["text", "tool"]);
    expect(texts(state)).toEqual(["final"]);
  });

  it("removes withdrawn text and shows no empty rows", () => {
    expect(all([delta("a", "gone"), event({ type: "text_withdrawn", message_id: "a" }), delta("b", " \n")]).rows).toHaveLength(0);
  });

  it("counts unknown events of any type, keeps three samples and goes on", () => {
    const strange = event({ type: "future_thing", level: 3 } as never);
    const stranger = chat({ kind: "of_a_later_version" } as never);
    const state = all([started(), strange, stranger, ...[1, 2, 3, 4].map(() => event({ type: "unknown", kind: "note", raw: payload("{}") })), full("m", "after"), ended()]);
    const row = state.rows.find((r) => r.kind === "unknown");
    expect(row).toMatchObject({ count: 6, samples: [{ kind: "future_thing" }, { kind: "of_a_later_version" }, { kind: "note" }] });
    expect(texts(state)).toEqual(["after"]);
    expect(state.latest.unknown).toBe(6);
  });

  it("moves a tool's state only forward", () => {
    const states: ToolCall["status"][] = ["started", "succeeded", "failed", "interrupted"];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...states), { minLength: 1, maxLength: 8 }), (sequence) => {
        const row = all(sequence.map((status) => tool({ status }))).rows[0] as ToolRow;
        const final = sequence.find((s) => s !== "started");
        expect(row.state).toBe(final ?? "started");
      }),
    );
  });

  it("cuts off what still runs when a turn ends, and leaves other turns alone", () => {
    const state = all([started(), tool({ id: "x" }), { ...tool({ id: "y" }), turn: "t0" }, ended("failed")]);
    const of = (id: string) => state.rows.find((r) => r.kind === "tool" && r.callId === id) as ToolRow;
    expect([of("x").state, of("y").state]).toEqual(["interrupted", "started"]);
  });

  it("groups the steps of a subagent", () => {
    const state = all([tool({ id: "s1", task_id: "k" }), tool({ id: "s2", task_id: "k" }), tool({ id: "s1", task_id: "k", status: "succeeded" })]);
    const row = state.rows[0];
    expect(state.rows).toHaveLength(1);
    expect(row?.kind === "task" && row.children.map((c) => c.kind === "tool" && c.state)).toEqual(["succeeded", "started"]);
  });

  it("keeps every finished row's identity while the last one grows", () => {
    let state = all([started(), full("m1", "one"), tool({ status: "succeeded" }), delta("m2", "a")]);
    const before = state.rows;
    state = ingestLive(state, [delta("m2", "b")]);
    expect(state.rows.map((row, i) => row === before[i])).toEqual([true, true, false]);
    const again = ingestLive(state, state.events.slice(-2));
    expect(again).toBe(state);
  });

  it("keeps identities when older history is put in front", () => {
    const events = richTurn("t1");
    let state = ingestPage(emptyTranscript(), events.slice(10), { atEnd: true });
    const before = new Map(state.rows.map((r) => [r.id, r]));
    state = ingestPage(state, events.slice(0, 10), { atStart: true });
    const kept = state.rows.filter((r) => before.get(r.id) === r);
    expect(kept.length).toBeGreaterThanOrEqual(before.size - 4);
  });

  it("reports a hole before a live batch and does not bridge it", () => {
    const [a, b, c, d] = [delta("m", "a"), delta("m", "b"), delta("m", "c"), delta("m", "d")] as const;
    const state = ingestPage(emptyTranscript(), [a], { atEnd: true });
    const holed = ingestLive(state, [d]);
    expect(holed.gapAfter).toBe(a.seq);
    expect(texts(holed)).toEqual(["a"]);
    const filled = ingestPage(holed, [b, c, d], { atEnd: true });
    expect(filled.gapAfter).toBeNull();
    expect(texts(filled)).toEqual(["abcd"]);
  });

  it("says of each row which event of its own is the last in it", () => {
    const first = seq + 1;
    const state = all([started(), delta("m1", "a"), delta("m1", "b"), tool({ id: "a" }), full("m1", "ab"), tool({ id: "a", status: "succeeded" }), ended()]);
    expect(state.rows.map((row) => [row.kind, row.seq - first, row.last - first])).toEqual([["text", 1, 4], ["tool", 3, 5], ["ending", 6, 6]]);
  });

  it("holds a flood of pieces as one event and one row, as it would look in pieces", () => {
    const begin = started();
    const pieces = Array.from({ length: 5_000 }, (_, at) => delta("m", `${at} `));
    let state = ingestPage(emptyTranscript(), [begin], { atEnd: true });
    for (let at = 0; at < pieces.length; at += 40) state = prune(ingestLive(state, pieces.slice(at, at + 40)), "end");
    const single = pieces.reduce((known, piece) => ingestLive(known, [piece]), ingestPage(emptyTranscript(), [begin], { atEnd: true }));
    expect(state.events).toHaveLength(2);
    expect(state.rows).toEqual(single.rows);
    expect(state.latest).toEqual(single.latest);
    expect(texts(state)[0]).toHaveLength(pieces.reduce((sum, _, at) => sum + String(at).length + 1, 0));
  });

  it("takes text that the feed merged once, whatever of it is loaded already", () => {
    const [a, b, c, d] = [delta("m", "a"), delta("m", "b"), delta("m", "c"), delta("m", "d")] as const;
    const merged = { ...c, from: b.seq, body: delta("m", "bc").body };
    seq -= 1;
    const whole = ingestLive(ingestLive(ingestPage(emptyTranscript(), [a], { atEnd: true }), [merged]), [d]);
    expect(texts(whole)).toEqual(["abcd"]);
    // Pages bring the single events again: they are covered.
    expect(texts(ingestPage(whole, [a, b, c, d], {}))).toEqual(["abcd"]);
    // A merged text that begins inside what is loaded is fetched again, not doubled.
    const half = ingestLive(ingestPage(emptyTranscript(), [a, b], { atEnd: true }), [merged]);
    expect([half.gapAfter, texts(half)]).toEqual([b.seq, ["ab"]]);
  });

  it("only counts live events while the end is not loaded", () => {
    const state = ingestPage(emptyTranscript(), [delta("m", "a")], { atEnd: false });
    const later = ingestLive(state, [delta("m", "b"), delta("m", "c")]);
    expect([later.missed, later.rows]).toEqual([2, state.rows]);
  });

  it("stays within its bound over a hundred thousand events", () => {
    const events: StoredEvent[] = [];
    for (let i = 0; i < 5_000; i += 1) {
      const message = `m${i}`;
      for (let k = 0; k < 18; k += 1) events.push(delta(message, "word "));
      events.push(full(message, "word ".repeat(18)), tool({ id: `c${i}`, status: "succeeded" }));
    }
    let state = ingestPage(emptyTranscript(), [], { atEnd: true });
    for (let i = 0; i < events.length; i += 200) state = prune(ingestLive(state, events.slice(i, i + 200)), "end");
    expect(state.events.length).toBeLessThanOrEqual(MAX_LOADED_EVENTS + 1_000);
    expect(state.atStart).toBe(false);
    expect(state.rows.at(-1)).toMatchObject({ kind: "tool", callId: "c4999" });
  }, 30_000);

  it("says what the running turn waits for", () => {
    let state = all([started()]);
    const phase = () => state.latest.turn?.phase;
    expect(phase()).toBe("starting");
    const step = (e: StoredEvent) => {
      state = ingestLive(state, [e]);
      return phase();
    };
    expect(step(delta("m", "x"))).toBe("writing");
    expect(step(tool({ id: "a" }))).toBe("tool");
    expect(step(tool({ id: "a", status: "succeeded" }))).toBe("model");
    expect(step(event({ type: "retry_scheduled", attempt: 3, max_attempts: 10, delay_ms: 8_000, status: 529, reason: null }))).toBe("retry");
    expect(state.latest.turn?.retry).toMatchObject({ attempt: 3, max: 10 });
    expect(step(ended())).toBeUndefined();
  });

  it("keeps the latest context figure and never adds figures up", () => {
    const usage = (used: number) =>
      event({ type: "usage", input: 10, output: null, cache_creation: null, cache_read: null, cost_usd: null, context_window: { used, limit: 200_000, model: null, estimated: false } });
    expect(all([usage(50_000), usage(62_000)]).latest.usage).toMatchObject({ input: 10, context_window: { used: 62_000 } });
  });

  it("shows an answer at the step it belongs to, or apart when that is not certain", () => {
    const ask = (id: string) => event({ type: "plan_approval_requested", id, plan: payload("# Plan"), path: null });
    const sure = all([ask("1"), ask("2"), chat({ kind: "decision_answered", decision: "d2", ask: "2", answer: "approved" })]);
    expect(sure.rows.map((r) => r.kind === "decision" && r.answer)).toEqual([null, "approved"]);
    const unsure = all([ask("1"), ask("2"), chat({ kind: "decision_answered", decision: "d3", ask: "other", answer: "approved" })]);
    expect(unsure.rows.map((r) => r.kind)).toEqual(["decision", "decision", "notice"]);
  });

  it("shows a turn that a restart cut off, with its delivery", () => {
    const state = all([chat({ kind: "prompt", text: "x" }), started(), tool({}), chat({ kind: "interrupted", delivery: "possibly_sent" })]);
    expect(state.rows.at(-1)).toMatchObject({ kind: "ending", status: "interrupted", restart: true, delivery: "possibly_sent" });
    expect(state.rows.find((r) => r.kind === "tool")).toMatchObject({ state: "interrupted" });
    expect(state.latest.turn).toBeNull();
  });

  it("marks a decision closed by whom it was", () => {
    const ask = event({ type: "plan_approval_requested", id: "p1", plan: payload("# Plan"), path: null });
    const rows: Row[] = [...all([ask, event({ type: "decision_closed", id: "p1", by: { by: "expired" } })]).rows];
    expect(rows).toMatchObject([{ kind: "decision", of: "plan", closed: { by: "expired" } }]);
  });
});
