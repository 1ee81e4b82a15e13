// What goes with prompts and what comes of it, as rows of a chat.
import { QueryClientProvider } from "@tanstack/react-query";
import { act, fireEvent, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type AttachedFile, type ChatEvent, type ChatSummary, host } from "../../host";
import { live } from "../../state/live";
import { queryClient } from "../../state/queries";
import { emptyTranscript, ingestPage, type LoadedEvent, rowIdOf } from "../../state/transcript";
import type { Row } from "../../state/transcript-rows";
import { ChatView } from "./ChatView";
import type { ChatPort } from "./port";
import { HarnessName, LastTurn, RowContext } from "./rows/context";
import { RowView } from "./rows/RowView";

// Without a layout nothing is in sight: all rows are drawn.
vi.mock("virtua", () => ({ Virtualizer: ({ data, children }: { data: Row[]; children: (row: Row) => ReactNode }) => data.map(children) }));

const USAGE = { input: null, output: null, cache_creation: null, cache_read: null, context_window: null, cost_usd: null };
const ended = (structured: string | null): ChatEvent => ({ kind: "turn_ended", status: "succeeded", text: "", structured, usage: USAGE, failure: null, delivery: "accepted", duration_ms: 5 });
const map: AttachedFile = { id: "f-1", name: "map.png", media_type: "image/png", bytes: 2_048, size: [32, 16] };
const log: AttachedFile = { id: "f-2", name: "log.txt", media_type: "text/plain", bytes: 5, size: null };

/** A receipt that does not come: what stands here does not need one. */
const never = () => new Promise<never>(() => undefined);

function load(...bodies: ChatEvent[]) {
  const events: LoadedEvent[] = bodies.map((body, at) => ({ seq: at + 1, at: 0, turn: "t", body }));
  return ingestPage(emptyTranscript(), events, { atEnd: true, atStart: true });
}

function show(...bodies: ChatEvent[]) {
  const { rows } = load(...bodies);
  return render(
    <QueryClientProvider client={queryClient()}>
      <RowContext.Provider value={{ chat: "c", receipt: never, jump: async () => undefined, payload: async () => "", endTask: async () => undefined, goOn: async () => undefined }}>
        <HarnessName.Provider value="Claude Code">
          <LastTurn.Provider value={null}>{rows.map((row) => <RowView key={row.id} row={row} />)}</LastTurn.Provider>
        </HarnessName.Provider>
      </RowContext.Provider>
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  live.setState({ known: true, chats: new Map() });
});

describe("a prompt", () => {
  it("shows pictures as such, other files as chips, and the schema on demand", async () => {
    vi.spyOn(host, "attachmentPreview").mockResolvedValue("data:image/png;base64,AAAA");
    show({ kind: "prompt", text: "look", attachments: [map, log], schema: '{"type":"object"}' });
    fireEvent.click(await screen.findByRole("button", { name: "Open map.png" }));
    expect(await screen.findByRole("dialog", { name: "map.png" })).toBeTruthy();
    fireEvent.keyDown(document.activeElement ?? document.body, { key: "Escape" });
    expect(screen.getByText("log.txt")).toBeTruthy();
    fireEvent.click(screen.getByText("Asked for an answer by a schema"));
    expect(document.querySelector("pre")?.textContent).toBe('{\n  "type": "object"\n}');
  });

  it("is sent again with all that went with it", async () => {
    const send = vi.fn().mockResolvedValue(undefined);
    const bodies: ChatEvent[] = [{ kind: "prompt", text: "look", attachments: [log], schema: "{}" }, { kind: "turn_started", resumed: false }, { kind: "interrupted", delivery: "not_sent" }];
    const events = bodies.map((body, at) => ({ seq: at + 1, at: 0, turn: "t", body }));
    const none = async () => undefined;
    const port: ChatPort = {
      chat: "c", receipt: never, processes: never, endProcesses: never,
      before: async () => ({ events, moreBefore: false, moreAfter: false }), after: async () => ({ events: [], moreBefore: true, moreAfter: false }),
      follow: () => () => undefined, payload: async () => "", search: async () => [], openLink: none, stop: none, kill: none, endTask: none, read: none, send,
    };
    const head = { title: "t", folder: "/f", harness: "Claude Code", target: null, modelAsked: null, modelReported: null, mode: "default", payer: null, practice: false, status: "idle" as const, since: null, waits: null };
    render(<QueryClientProvider client={queryClient()}><ChatView port={port} head={head} /></QueryClientProvider>);
    const again = await screen.findByRole("button", { name: "Send again" });
    await act(async () => fireEvent.click(again));
    expect(send).toHaveBeenCalledExactlyOnceWith("look", { attachments: ["f-2"], schema: "{}" });
  });

  it("without any of it is as before", () => {
    show({ kind: "prompt", text: "look" });
    expect([screen.queryByRole("list"), screen.queryByText(/schema/)]).toEqual([null, null]);
  });
});

describe("an answer by a schema", () => {
  it("stands above the receipt, once, readable or as JSON, and says who checked it", async () => {
    const state = load({ kind: "prompt", text: "x" }, ended('{"ok":true}'));
    expect(state.rows.map(({ kind }) => kind)).toEqual(["prompt", "structured", "ending"]);
    expect(rowIdOf(state, 2)).toBe("ending:t");
    show({ kind: "prompt", text: "x" }, ended('{"ok":true,"id":12345678901234567890}'));
    const answer = screen.getByRole("region", { name: "Structured answer" });
    expect(answer.textContent).toContain("okYesid12345678901234567890");
    expect(answer.textContent).toContain("Checked by Claude Code against the schema");
    const copied = vi.fn().mockResolvedValue(undefined);
    vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText: copied } });
    await act(async () => fireEvent.click(screen.getByRole("button", { name: "Copy as JSON" })));
    vi.unstubAllGlobals();
    expect(copied).toHaveBeenCalledWith('{\n  "ok": true,\n  "id": 12345678901234567890\n}');
    fireEvent.click(screen.getByRole("radio", { name: "JSON" }));
    expect(answer.querySelector("pre")?.textContent).toContain('"ok": true');
  });

  it("that is no JSON after all is shown as it came", () => {
    show(ended("{cut"));
    expect(document.querySelector("pre")?.textContent).toBe("{cut");
  });

  it("makes no row where none was asked for", () => {
    expect(load(ended(null)).rows.map(({ kind }) => kind)).toEqual(["ending"]);
  });
});

describe("a copied chat", () => {
  const from: ChatEvent = { kind: "forked_from", chat: "c-7", title: "Old <b>title</b>" };

  it("links to where it comes from, by the name it has now", () => {
    live.setState({ chats: new Map([["c-7", { id: "c-7", title: "New title" } as ChatSummary]]) });
    show(from);
    expect(screen.getByRole("link", { name: "New title" }).getAttribute("href")).toBe("#/chat/c-7");
  });

  it("keeps the title of a chat that is gone, and says so", () => {
    show(from);
    expect(screen.queryByRole("link")).toBeNull();
    expect(screen.getByTestId("row-forked").textContent).toBe("Goes on from a copy of “Old <b>title</b>”, which is not there any more");
  });

  it("is found by its event", () => expect(rowIdOf(load(from), 1)).toBe("forked:1"));
});
