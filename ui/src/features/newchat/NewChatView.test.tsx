import { act, render, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { FolderSuggestions, HarnessCard } from "../../host";
import type { FolderState } from "../../state/queries";
import { TAB_WAIT_MS } from "../../kit/Suggest";
import { blockedBy, NewChatView, type Draft, type NewChatViewProps } from "./NewChatView";

const answer = (over: Partial<FolderSuggestions> = {}): FolderSuggestions => ({ home: "/home/ada", folders: [], exact: true, common_prefix: "", notes: [], incomplete: false, ...over });
const folder = (over: Partial<FolderState> = {}): FolderState => ({ offers: [], recent: false, answer: answer(), trouble: null, ...over });
const draft: Draft = { folder: "/srv/api", harness: "claude", model: "", effort: "", mode: { mode: "default" }, endpoint: "account", prompt: "Go" };
const card = {
  id: "claude", name: "Claude Code", status: "ready", models: [], models_error: null,
  modes: [{ mode: { mode: "full_access" }, native: "bypassPermissions", unasked: "Everything", asks: "Nothing", refused: "Nothing" }],
} as unknown as HarnessCard;

const props = (over: Partial<NewChatViewProps> = {}): NewChatViewProps => ({
  draft, folder: folder(), harnesses: [card], sending: false, error: null, onChange: vi.fn(), onSend: vi.fn(), onPractice: vi.fn(), ...over,
});

describe("Send", () => {
  it("is on only when everything stands", () => {
    expect(blockedBy(props())).toBeNull();
    const off: Array<Partial<NewChatViewProps>> = [
      { harnesses: null },
      { harnesses: [] },
      { harnesses: [{ ...card, status: "not_installed" }] },
      { draft: { ...draft, folder: " " } },
      { draft: { ...draft, prompt: "\n " } },
      { folder: folder({ answer: null }) },
      { folder: folder({ answer: answer({ exact: false }) }) },
      { folder: folder({ trouble: "The disk does not answer" }) },
    ];
    const reasons = off.map((over) => blockedBy(props(over)));
    expect(reasons).not.toContain(null);
    expect(reasons.at(-1)).toBe("The disk does not answer");
  });

  it("says what files need: a text, and time to arrive", () => {
    const extras = { strip: null, tools: null, holds: true, waits: null, onPaste: () => false };
    expect(blockedBy(props({ extras, draft: { ...draft, prompt: " " } }))).toBe("Write what to do with the files");
    expect(blockedBy(props({ extras: { ...extras, waits: "A file is still being attached" } }))).toBe("A file is still being attached");
    expect(blockedBy(props({ extras }))).toBeNull();
  });

  it("is on while a harness is still being looked at", () => {
    expect(blockedBy(props({ harnesses: [{ ...card, status: null }] }))).toBeNull();
  });
});

describe("Tab in the folder field", () => {
  const view = (state: FolderState, onChange = vi.fn()) => <NewChatView {...props({ draft: { ...draft, folder: "/srv/a" }, folder: state, onChange })} />;
  const press = () => {
    const input = screen.getByTestId("folder");
    act(() => input.focus());
    const event = new KeyboardEvent("keydown", { key: "Tab", bubbles: true, cancelable: true });
    act(() => void input.dispatchEvent(event));
    return { input, stayed: event.defaultPrevented };
  };

  it("waits for the answer that is on its way, and then completes", () => {
    const onChange = vi.fn();
    const { rerender } = render(view(folder({ answer: null }), onChange));
    const { input, stayed } = press();
    expect([stayed, document.activeElement === input]).toEqual([true, true]);
    rerender(view(folder({ answer: answer({ exact: false, common_prefix: "/srv/api" }) }), onChange));
    expect(onChange).toHaveBeenCalledWith({ folder: "/srv/api" });
    expect(document.activeElement).toBe(input);
  });

  it("moves on when nothing is completed, or nothing comes", () => {
    vi.useFakeTimers();
    const { rerender } = render(view(folder({ answer: null })));
    press();
    rerender(view(folder({ answer: answer({ common_prefix: "/srv/a" }) })));
    expect(document.activeElement).toBe(screen.getByTestId("composer"));
    rerender(view(folder({ answer: null })));
    press();
    act(() => void vi.advanceTimersByTime(TAB_WAIT_MS + 10));
    expect(document.activeElement).toBe(screen.getByTestId("composer"));
    vi.useRealTimers();
  });
});

describe("the permission modes", () => {
  it("say in the host's words what runs, asks and is refused, with the native name", () => {
    render(<NewChatView {...props()} />);
    const full = screen.getByRole("radio", { name: "Full" });
    const told = document.getElementById(full.getAttribute("aria-describedby") ?? "")?.textContent ?? "";
    expect(told).toContain("Unasked Everything");
    expect(screen.getByText("bypassPermissions")).toBeTruthy();
  });
});
