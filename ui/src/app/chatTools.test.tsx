// What can be done to the running of a chat: compaction and choices, on the scripted host.
import { QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, it, vi } from "vitest";
import { type ChatSummary, HostError, host } from "../host";
import { queryClient } from "../state/queries";
import { Compact } from "./Compact";
import { TurnChoices } from "./TurnChoices";

const CHAT: ChatSummary = {
  id: "c-1", workspace: "w-1", folder: "/home/ada/work/atlas", title: "t", harness: "claude", endpoint: "account", model: null, reported_model: null, effort: null,
  mode: { mode: "default" }, state: "read", open_decisions: 0, waits: null, payer: null, session_id: "s-1", last_seq: 3, read_seq: 3, queued: 0, queue_paused: null,
  usage: null, created_at: 0, updated_at: 0, archived: false,
};
const RUNS: ChatSummary["waits"] = { what: "model", detail: null, since: 0, until: null };

const show = (children: ReactNode) => render(<QueryClientProvider client={queryClient()}>{children}</QueryClientProvider>);

it("compacts with what must be kept, and closes", async () => {
  const compact = vi.spyOn(host, "compactChat").mockResolvedValue(null);
  show(<Compact chat={CHAT} />);
  fireEvent.click(await screen.findByRole("button", { name: "Compact…" }));
  fireEvent.change(screen.getByRole("textbox"), { target: { value: "the failing test" } });
  fireEvent.click(screen.getByRole("button", { name: "Compact" }));
  expect(compact).toHaveBeenCalledWith("c-1", "the failing test");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

it("keeps what was written when it is refused, and says why", async () => {
  vi.spyOn(host, "compactChat").mockRejectedValue(new HostError({ kind: "live_turn", message: "A turn runs in this chat.", next_step: "Wait for its end, or stop it." }));
  show(<Compact chat={CHAT} />);
  fireEvent.click(await screen.findByRole("button", { name: "Compact…" }));
  fireEvent.change(screen.getByRole("textbox"), { target: { value: "the failing test" } });
  fireEvent.click(screen.getByRole("button", { name: "Compact" }));
  expect(await screen.findByText(/A turn runs in this chat/)).toBeTruthy();
  expect((screen.getByRole("textbox") as HTMLTextAreaElement).value).toBe("the failing test");
});

it("shows no button that could do nothing", async () => {
  show(<><Compact chat={{ ...CHAT, session_id: null }} /><Compact chat={{ ...CHAT, waits: RUNS }} /><TurnChoices chat={CHAT} /></>);
  await screen.findByRole("button", { name: /^Effort/ });
  expect(screen.queryByRole("button", { name: "Compact…" })).toBeNull();
});

it("says when a change holds only from the next turn on", async () => {
  const mode = vi.spyOn(host, "setMode").mockResolvedValueOnce("next_turn").mockResolvedValueOnce("now");
  show(<TurnChoices chat={{ ...CHAT, waits: RUNS }} />);
  const pick = async (name: RegExp) => {
    fireEvent.click(await screen.findByRole("button", { name: /^Permissions/ }));
    fireEvent.click(await screen.findByRole("menuitem", { name }));
  };
  await screen.findByRole("button", { name: /^Effort/ });
  await pick(/^Plan/);
  expect((await screen.findByRole("status")).textContent).toBe("From the next turn on");
  await pick(/^Edit freely/);
  await waitFor(() => expect(screen.queryByRole("status")).toBeNull());
  expect(mode).toHaveBeenCalledTimes(2);
});
