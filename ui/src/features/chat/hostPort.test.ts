import { describe, expect, it, vi } from "vitest";
import type { StoredEvent } from "../../host";

const { host, followed } = vi.hoisted(() => ({ host: { openChat: vi.fn(), eventsBefore: vi.fn() }, followed: { now: null as null | { take: (items: unknown[]) => void } } }));
vi.mock("../../host", () => ({ host }));
vi.mock("../../state/live", () => ({
  followChat: (next: { take: (items: unknown[]) => void }) => {
    followed.now = next;
    return () => {};
  },
}));
const { hostPort, partOf } = await import("./hostPort");

const whole = (text: string) => ({ text, bytes: text.length, truncated: false });
const call: StoredEvent = {
  seq: 7, at: 0, turn: "t",
  body: {
    kind: "turn",
    event: {
      type: "tool_call", id: "c", name: "Write", status: "succeeded", detail: { kind: "write", path: "/a", content: whole("content") },
      input: whole("input"), output: whole("output"), error: null, task_id: null, unasked: null,
    },
  },
};

describe("the chat on the host", () => {
  it("takes each part out of a whole event, and refuses what it does not have", () => {
    expect((["input", "output", "content"] as const).map((part) => partOf(call, part))).toEqual(["input", "output", "content"]);
    expect(() => partOf(call, "text")).toThrow();
    expect(() => partOf({ ...call, body: { kind: "turn_queued" } }, "input")).toThrow();
  });

  it("opens at the end and pages backwards by number", async () => {
    host.openChat.mockResolvedValue({ queue: [], tail: { events: [call], more_before: true, more_after: false } });
    host.eventsBefore.mockResolvedValue({ events: [], more_before: false, more_after: true });
    const port = hostPort("c", () => {});
    expect(await port.before(null, 10)).toEqual({ events: [call], moreBefore: true, moreAfter: false });
    expect(await port.before(7, 10)).toEqual({ events: [], moreBefore: false, moreAfter: true });
    expect(host.eventsBefore).toHaveBeenCalledExactlyOnceWith("c", 7, 10);
  });

  it("hears only its own chat, and keeps the span of merged text", () => {
    const heard: unknown[] = [];
    hostPort("c", () => {}).follow({ since: () => 7, take: (batch) => heard.push(...batch), resync: async () => 7 });
    followed.now?.take([
      { item: "event", chat: "c", from_seq: 8, event: { ...call, seq: 10 } },
      { item: "event", chat: "other", from_seq: 1, event: call },
      { item: "queue", chat: "c", prompts: [] },
    ]);
    expect(heard).toEqual([{ ...call, seq: 10, from: 8 }]);
  });
});
