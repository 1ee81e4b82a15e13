import { afterEach, describe, expect, it, vi } from "vitest";
import { script } from "../host/mock/bridge";
import type { FeedItem } from "../host";
import { connect, followChat, live } from "./live";

describe("the window on a scripted host", () => {
  afterEach(() => live.setState({ broken: null }));

  it("reads the lists, then follows and acknowledges", async () => {
    await connect();
    const before = live.getState();
    expect(before.known).toBe(true);
    expect(before.boot?.home).toBe("/home/ada");
    const chat = before.chats.get("c-done");
    if (!chat) throw new Error("the scene has no c-done");
    script.push({ item: "chat", summary: { ...chat, title: "Renamed", updated_at: chat.updated_at + 1 } });
    await vi.waitFor(() => expect(live.getState().chats.get("c-done")?.title).toBe("Renamed"));
    expect(script.acknowledged.at(-1)).toBe(1);
  });

  it("gives the followed chat the items of a frame, and nothing after it has left", async () => {
    await connect();
    const taken: FeedItem[] = [];
    const stop = followChat({ chat: "c-work", since: () => 11, take: (items) => void taken.push(...items), resync: async () => 11 });
    const item: FeedItem = { item: "queue", chat: "c-work", prompts: [] };
    script.push(item);
    await vi.waitFor(() => expect(taken).toEqual([item]));
    stop();
    script.push(item);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(taken).toHaveLength(1);
  });

  it("lets a chat that fell behind read again, and goes on from where it then is", async () => {
    await connect();
    const resync = vi.fn(async () => 42);
    const stop = followChat({ chat: "c-work", since: () => 3, take: () => undefined, resync });
    script.push({ item: "resync", chat: "c-work", last_seq: 42 });
    await vi.waitFor(() => expect(resync).toHaveBeenCalledOnce());
    expect(live.getState().known).toBe(true);
    stop();
  });
});
