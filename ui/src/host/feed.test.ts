import { describe, expect, it, vi } from "vitest";
import type { Batch, Commands, FeedItem, Subscription } from "./contract";
import { HostError, hostError, unwrap } from "./error";
import { MOST_PENDING, openFeed } from "./feed";

const removed = (id: number): FeedItem => ({ item: "chat_removed", chat: String(id) });
const batch = (number: number, ...items: FeedItem[]): Batch => ({ subscription: 1, number, items });

function stand() {
  const acks: number[] = [];
  const subscriptions: Subscription[] = [];
  const frames: Array<() => void> = [];
  const channels: Array<(batch: Batch) => void> = [];
  const bridge = {
    commands: { acknowledge: async (_: number, number: number) => void acks.push(number) } as unknown as Commands,
    subscribe: async (subscription: Subscription, onBatch: (batch: Batch) => void): Promise<number> => {
      subscriptions.push(subscription);
      channels.push(onBatch);
      return channels.length;
    },
  };
  const applied: FeedItem[][] = [];
  const sink = {
    apply: (items: readonly FeedItem[]) => void applied.push([...items]),
    resync: vi.fn(async (): Promise<Subscription> => ({ chat: "c", since: 100 })),
    failed: vi.fn(),
  };
  const feed = openFeed(bridge, sink, (run) => void frames.push(run));
  return {
    bridge, feed, sink, acks, subscriptions, applied, channels,
    send: (each: Batch) => channels.at(-1)?.(each),
    draw: () => frames.splice(0).forEach((run) => run()),
  };
}

describe("the feed", () => {
  it("applies all batches of a frame as one change, then acknowledges the last", async () => {
    const it = stand();
    await it.feed.follow({ chat: null, since: 0 });
    it.send(batch(1, removed(6)));
    it.send(batch(2, removed(7), removed(8)));
    expect(it.applied).toEqual([]);
    expect(it.acks).toEqual([]);
    it.draw();
    expect(it.applied).toEqual([[removed(6), removed(7), removed(8)]]);
    expect(it.acks).toEqual([2]);
  });

  it("drops the events of a channel of before, and keeps what it says about chats", async () => {
    const it = stand();
    const said: FeedItem = { item: "event", chat: "a", from_seq: 1, event: { seq: 1, at: 1, turn: null, body: { kind: "prompt", text: "x" } } };
    await it.feed.follow({ chat: "a", since: 0 });
    it.send(batch(1, said, removed(1)));
    await it.feed.follow({ chat: "b", since: 4 });
    it.channels[0]?.(batch(2, removed(2), said));
    it.draw();
    expect(it.applied).toEqual([[removed(1), removed(2)]]);
    expect(it.acks).toEqual([]);
    expect(it.subscriptions).toEqual([{ chat: "a", since: 0 }, { chat: "b", since: 4 }]);
    it.send(batch(1, removed(3)));
    it.draw();
    expect(it.applied).toEqual([[removed(1), removed(2)], [removed(3)]]);
  });

  it("reads everything again when told so, and goes on from there", async () => {
    const it = stand();
    await it.feed.follow({ chat: "c", since: 0 });
    it.send(batch(1, removed(1)));
    it.send(batch(2, { item: "resync", chat: "c", last_seq: 100 }));
    await vi.waitFor(() => expect(it.subscriptions).toEqual([{ chat: "c", since: 0 }, { chat: "c", since: 100 }]));
    it.draw();
    expect(it.applied).toEqual([]);
    it.send(batch(1, removed(2)));
    it.draw();
    expect(it.applied).toEqual([[removed(2)]]);
  });

  it("does the same when more arrives in a frame than is kept", async () => {
    const it = stand();
    await it.feed.follow({ chat: null, since: 0 });
    it.send(batch(1, ...Array.from({ length: MOST_PENDING }, (_, at) => removed(at))));
    expect(it.sink.resync).not.toHaveBeenCalled();
    it.send(batch(2, removed(2)));
    expect(it.sink.resync).toHaveBeenCalledOnce();
  });

  it("sends one subscription at a time; one that was overtaken is not sent, and a late answer replaces nothing", async () => {
    const it = stand();
    let answer: (number: number) => void = () => undefined;
    it.bridge.subscribe = vi.fn((subscription: Subscription, onBatch: (batch: Batch) => void) => {
      it.subscriptions.push(subscription);
      it.channels.push(onBatch);
      return new Promise<number>((resolve) => (answer = resolve));
    });
    const first = it.feed.follow({ chat: "a", since: 0 });
    await vi.waitFor(() => expect(it.subscriptions).toHaveLength(1));
    const second = it.feed.follow({ chat: "b", since: 0 });
    const third = it.feed.follow({ chat: "c", since: 7 });
    expect(it.subscriptions).toEqual([{ chat: "a", since: 0 }]);
    answer(1);
    await vi.waitFor(() => expect(it.subscriptions).toEqual([{ chat: "a", since: 0 }, { chat: "c", since: 7 }]));
    answer(2);
    await Promise.all([first, second, third]);
    it.channels[0]?.(batch(1, { item: "event", chat: "a", from_seq: 1, event: { seq: 1, at: 1, turn: null, body: { kind: "prompt", text: "x" } } }));
    it.send(batch(1, removed(3)));
    it.draw();
    expect(it.applied).toEqual([[removed(3)]]);
  });

  it("forgets a chat that is read again when another one was asked for meanwhile", async () => {
    const it = stand();
    let read: (subscription: { chat: string; since: number }) => void = () => undefined;
    it.sink.resync.mockImplementation(() => new Promise((resolve) => (read = resolve)));
    await it.feed.follow({ chat: "old", since: 0 });
    it.send(batch(1, { item: "resync", chat: "old", last_seq: 9 }));
    await it.feed.follow({ chat: "new", since: 4 });
    read({ chat: "old", since: 9 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(it.subscriptions).toEqual([{ chat: "old", since: 0 }, { chat: "new", since: 4 }]);
  });

  it("says that a subscription failed only while it is the one that is wanted", async () => {
    const it = stand();
    it.bridge.subscribe = vi.fn(() => Promise.reject(new Error("no")));
    const old = it.feed.follow({ chat: "a", since: 0 });
    const next = it.feed.follow({ chat: "b", since: 0 });
    await expect(old).resolves.toBeUndefined();
    await expect(next).rejects.toThrow("no");
  });

  it("is silent after it was stopped", async () => {
    const it = stand();
    await it.feed.follow({ chat: null, since: 0 });
    it.send(batch(1, removed(1)));
    it.feed.stop();
    it.draw();
    expect(it.applied).toEqual([]);
    expect(it.acks).toEqual([]);
  });
});

describe("errors of commands", () => {
  it("keep the words of the host", async () => {
    const error = { kind: "busy", message: "The chat is busy", next_step: "Wait" };
    await expect(unwrap(Promise.resolve({ status: "error", error }))).rejects.toMatchObject({ kind: "busy", message: "The chat is busy", nextStep: "Wait" });
  });

  it("get words when the window itself refused", async () => {
    const refused = "Command x not allowed by ACL";
    const words = { kind: "bridge", details: refused };
    await expect(unwrap(Promise.resolve({ status: "error", error: refused }))).rejects.toMatchObject(words);
    await expect(unwrap(Promise.reject(refused))).rejects.toMatchObject(words);
    expect(hostError(new TypeError("no"))).toBeInstanceOf(HostError);
  });

  it("are told from values, also where a command answers nothing", async () => {
    await expect(unwrap(Promise.resolve({ status: "ok", data: [1] }))).resolves.toEqual([1]);
    await expect(unwrap(Promise.resolve(undefined))).resolves.toBeUndefined();
  });
});
