// Forking a chat from its menu, on the scripted host.
import { QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { type ChatSummary, HostError, host } from "../host";
import { live } from "../state/live";
import { queryClient } from "../state/queries";
import { ChatMenu } from "./ChatMenu";

const CHAT = {
  id: "c-1", workspace: "w-1", folder: "/home/ada/work/atlas", title: "The map", harness: "claude", mode: { mode: "default" }, state: "read", waits: null, session_id: "s-1", archived: false,
} as unknown as ChatSummary;
const MADE = { ...CHAT, id: "c-2", title: "Otherwise" };

const show = (over: Partial<ChatSummary> = {}) => render(<QueryClientProvider client={queryClient()}><ChatMenu chat={{ ...CHAT, ...over }} /></QueryClientProvider>);
const entry = async () => {
  fireEvent.click(screen.getByRole("button", { name: "More about this chat" }));
  return screen.findByRole("menuitem", { name: /^Fork this chat/ });
};

beforeEach(() => {
  window.location.hash = "#/chat/c-1";
  live.setState({ chats: new Map([[CHAT.id, CHAT]]) });
});

it("makes a chat of a copy with its first message, and opens it", async () => {
  const fork = vi.spyOn(host, "forkChat").mockResolvedValue(MADE);
  show();
  fireEvent.click(await entry());
  const text = await screen.findByTestId("fork-prompt");
  expect((screen.getByTestId("fork") as HTMLButtonElement).disabled).toBe(true);
  fireEvent.change(text, { target: { value: "Otherwise" } });
  fireEvent.keyDown(text, { key: "Enter", isComposing: true });
  expect(fork).not.toHaveBeenCalled();
  fireEvent.keyDown(text, { key: "Enter" });
  expect(fork).toHaveBeenCalledExactlyOnceWith("c-1", { text: "Otherwise", attachments: [], schema: null });
  await waitFor(() => expect(window.location.hash).toBe("#/chat/c-2"));
  expect(live.getState().chats.get("c-2")?.title).toBe("Otherwise");
});

it("says why it was refused, with the next step, and keeps what was written", async () => {
  vi.spyOn(host, "forkChat").mockRejectedValue(new HostError({ kind: "live_turn", message: "A turn runs in this chat.", next_step: "Wait for its end, or stop it." }));
  show();
  fireEvent.click(await entry());
  const text = (await screen.findByTestId("fork-prompt")) as HTMLTextAreaElement;
  fireEvent.change(text, { target: { value: "Otherwise" } });
  fireEvent.click(screen.getByTestId("fork"));
  expect((await screen.findByRole("alert")).textContent).toContain("A turn runs in this chat.Wait for its end, or stop it.");
  expect(text.value).toBe("Otherwise");
  expect(window.location.hash).toBe("#/chat/c-1");
});

it.each([
  [{ session_id: null }, /send a message first/],
  [{ waits: { what: "model", detail: null, since: 0, until: null } }, /A turn runs/],
] as Array<[Partial<ChatSummary>, RegExp]>)("is off with its reason while it cannot be done", async (over, reason) => {
  show(over);
  const off = await entry();
  expect(off.getAttribute("aria-disabled") ?? off.getAttribute("data-disabled")).not.toBeNull();
  expect(off.textContent).toMatch(reason);
});

it("is not offered by a harness that does not fork", async () => {
  const [card] = await host.harnesses();
  vi.spyOn(host, "harnesses").mockResolvedValue(card ? [{ ...card, capabilities: { ...card.capabilities, fork: false } }] : []);
  show();
  await waitFor(() => expect(host.harnesses).toHaveBeenCalled());
  fireEvent.click(screen.getByRole("button", { name: "More about this chat" }));
  await screen.findByRole("menuitem", { name: /^Rename/ });
  expect(screen.queryByRole("menuitem", { name: /^Fork/ })).toBeNull();
});
