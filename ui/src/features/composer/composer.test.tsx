import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "@testing-library/react";
import { type Root, createRoot } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../state/queries";
import { ComposerView, type ComposerViewProps } from "./ComposerView";

let host: HTMLElement;
let root: Root;
const calls = { onSend: vi.fn(), onStop: vi.fn(), onDraft: vi.fn(), onResume: vi.fn(), onEditQueued: vi.fn(), onRemoveQueued: vi.fn() };

async function show(more: Partial<ComposerViewProps> = {}) {
  await act(async () => {
    root.render(<ComposerView running={false} steer={{ able: false, why: null }} queue={[]} paused={null} draft="" {...calls} {...more} />);
  });
}
const field = () => host.querySelector<HTMLTextAreaElement>("textarea[aria-label='Message']") as HTMLTextAreaElement;
const button = (label: string) => [...host.querySelectorAll<HTMLButtonElement>("button")].find((b) => (b.getAttribute("aria-label") ?? b.textContent)?.trim().startsWith(label)) as HTMLButtonElement;
async function type(text: string, into = field()) {
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")?.set?.call(into, text);
    into.dispatchEvent(new Event("input", { bubbles: true }));
  });
}
async function key(name: string, init: KeyboardEventInit = {}, target: EventTarget = field()) {
  const event = new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...init });
  await act(async () => {
    target.dispatchEvent(event);
  });
  return event;
}

beforeEach(() => {
  host = document.createElement("div");
  document.body.append(host);
  root = createRoot(host);
  for (const call of Object.values(calls)) call.mockReset().mockResolvedValue(undefined);
});
afterEach(() => {
  act(() => root.unmount());
  host.remove();
});

describe("sending", () => {
  it("sends on Enter, breaks on Shift+Enter, and empties itself", async () => {
    await show();
    await type("hello");
    expect((await key("Enter", { shiftKey: true })).defaultPrevented).toBe(false);
    expect(calls.onSend).not.toHaveBeenCalled();
    await key("Enter");
    expect(calls.onSend).toHaveBeenCalledExactlyOnceWith("hello", "send");
    expect(field().value).toBe("");
  });

  it("sends nothing that is blank, and nothing on a repeated Enter", async () => {
    await show();
    await type("  \n ");
    await key("Enter");
    await type("x");
    await key("Enter", { repeat: true });
    expect(calls.onSend).not.toHaveBeenCalled();
  });

  it("never sends during composition: isComposing, key code 229, and the Enter right after its end", async () => {
    await show();
    await type("とうきょう");
    await key("Enter", { isComposing: true });
    await key("Enter", { keyCode: 229 } as KeyboardEventInit);
    await act(async () => {
      field().dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true }));
    });
    await key("Enter");
    await act(async () => {
      field().dispatchEvent(new CompositionEvent("compositionend", { bubbles: true }));
    });
    await key("Enter");
    expect(calls.onSend).not.toHaveBeenCalled();
    await act(async () => new Promise((resolve) => setTimeout(resolve, 40)));
    await key("Enter");
    expect(calls.onSend).toHaveBeenCalledExactlyOnceWith("とうきょう", "send");
  });

  it("queues while a turn runs, and says so on the button", async () => {
    await show({ running: true });
    expect(button("Queue")).toBeTruthy();
    await type("next");
    await key("Enter");
    await type("now");
    await key("Enter", { ctrlKey: true });
    expect(calls.onSend.mock.calls).toEqual([["next", "queue"], ["now", "queue"]]);
  });

  it("steers on Ctrl+Enter where the harness can", async () => {
    await show({ running: true, steer: { able: true, why: null } });
    await type("left, not right");
    await key("Enter", { ctrlKey: true });
    expect(calls.onSend).toHaveBeenCalledExactlyOnceWith("left, not right", "steer");
  });

  it("gives the text back when sending failed, before whatever was typed meanwhile", async () => {
    let fail: (error: Error) => void = () => {};
    calls.onSend.mockReturnValue(new Promise((_, reject) => (fail = reject)));
    await show();
    await type("important");
    await key("Enter");
    await type("more");
    await act(async () => fail(new Error("the store is full")));
    expect(field().value).toBe("important\nmore");
    expect(host.textContent).toContain("Not sent: the store is full");
  });
});

describe("Esc", () => {
  it("stops with an empty field and nothing open, and only then", async () => {
    await show({ running: true });
    await type("half");
    await key("Escape");
    expect(calls.onStop).not.toHaveBeenCalled();
    await type("");
    const dialog = document.createElement("div");
    dialog.setAttribute("role", "dialog");
    document.body.append(dialog);
    await key("Escape");
    dialog.remove();
    expect(calls.onStop).not.toHaveBeenCalled();
    await key("Escape");
    expect(calls.onStop).toHaveBeenCalledTimes(1);
  });

  it("does nothing inside a decision or another field, taken by others, or while idle", async () => {
    await show({ running: true });
    const card = document.createElement("article");
    card.dataset.decision = "1";
    const input = document.createElement("input");
    document.body.append(card, input);
    await key("Escape", {}, card);
    await key("Escape", {}, input);
    const taken = (event: Event) => event.preventDefault();
    document.body.addEventListener("keydown", taken);
    await key("Escape", {}, document.body);
    document.body.removeEventListener("keydown", taken);
    card.remove();
    input.remove();
    await show({ running: false });
    await key("Escape");
    expect(calls.onStop).not.toHaveBeenCalled();
  });
});

describe("draft and paste", () => {
  it("restores the saved draft once, and never over something typed since", async () => {
    await show({ draft: null });
    await show({ draft: "saved" });
    expect(field().value).toBe("saved");
    await type("changed");
    await show({ draft: "saved later" });
    expect(field().value).toBe("changed");
    expect(calls.onDraft).toHaveBeenLastCalledWith("changed");
  });

  it("takes a paste of five megabytes as a chip, at once, and sends it whole", async () => {
    await show();
    await type("Look at this:");
    const big = `first line\n${"x".repeat(5_000_000)}`;
    const paste = new Event("paste", { bubbles: true, cancelable: true });
    Object.assign(paste, { clipboardData: { getData: () => big } });
    const start = performance.now();
    await act(async () => {
      field().dispatchEvent(paste);
    });
    expect(performance.now() - start).toBeLessThan(500);
    expect(paste.defaultPrevented).toBe(true);
    expect(field().value).toBe("Look at this:");
    expect(host.textContent).toContain("first line");
    expect(host.textContent).toContain("5.0 MB");
    await key("Enter");
    expect(calls.onSend.mock.calls[0]?.[0]).toBe(`Look at this:\n\n${big}`);
  });
});

describe("queue", () => {
  const queue = [{ id: "a", text: "first" }, { id: "b", text: "second" }];

  it("can be read, edited and shortened", async () => {
    await show({ running: true, queue });
    expect(host.querySelectorAll("li")).toHaveLength(2);
    await act(async () => button("Edit this message").click());
    const edit = host.querySelector<HTMLTextAreaElement>("textarea[aria-label='Waiting message']") as HTMLTextAreaElement;
    await type("first, better", edit);
    await key("Enter", {}, edit);
    expect(calls.onEditQueued).toHaveBeenCalledExactlyOnceWith("a", "first, better");
    await act(async () => button("Remove this message").click());
    expect(calls.onRemoveQueued).toHaveBeenCalledExactlyOnceWith("a");
  });

  it("leaves an edit on Esc without stopping the turn", async () => {
    await show({ running: true, queue });
    await act(async () => button("Edit this message").click());
    const edit = host.querySelector<HTMLTextAreaElement>("textarea[aria-label='Waiting message']") as HTMLTextAreaElement;
    await key("Escape", {}, edit);
    expect([calls.onEditQueued.mock.calls.length, calls.onStop.mock.calls.length]).toEqual([0, 0]);
  });

  it("says that it stands still and why, and goes on when told to", async () => {
    await show({ queue, paused: "you stopped the turn" });
    expect(host.textContent).toContain("paused: you stopped the turn");
    await act(async () => button("Resume").click());
    expect(calls.onResume).toHaveBeenCalledTimes(1);
  });
});

describe("what goes with the message", () => {
  const extras = { strip: null, holds: true, waits: null, onPaste: () => false };

  it("needs a text, and the button says so", async () => {
    await show({ extras });
    await key("Enter");
    expect(calls.onSend).not.toHaveBeenCalled();
    expect(button("Send").disabled).toBe(true);
    const reason = document.getElementById(button("Send").getAttribute("aria-describedby") ?? "");
    expect(reason?.textContent).toBe("Write what to do with the files");
    await type("look");
    expect(button("Send").hasAttribute("aria-describedby")).toBe(false);
    await key("Enter");
    expect(calls.onSend).toHaveBeenCalledExactlyOnceWith("look", "send");
  });

  it("holds the message back while a file is on its way", async () => {
    await show({ extras: { ...extras, waits: "A file is still being attached" } });
    await type("look");
    await key("Enter");
    expect(calls.onSend).not.toHaveBeenCalled();
    expect(field().value).toBe("look");
    expect(host.querySelector("[role=status]")?.textContent).toBe("A file is still being attached");
  });

  it("makes the composer no empty one: Esc does not stop", async () => {
    await show({ running: true, extras });
    await key("Escape");
    expect(calls.onStop).not.toHaveBeenCalled();
  });

  it("takes pasted files, during composition too, and leaves text to the field", async () => {
    const onPaste = vi.fn().mockReturnValueOnce(true).mockReturnValue(false);
    await show({ extras: { ...extras, onPaste } });
    await act(async () => void field().dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true })));
    const paste = async () => {
      const event = new Event("paste", { bubbles: true, cancelable: true });
      Object.assign(event, { clipboardData: { getData: () => "short" } });
      await act(async () => void field().dispatchEvent(event));
      return event.defaultPrevented;
    };
    expect([await paste(), await paste()]).toEqual([true, false]);
  });

  it("is still there when sending failed", async () => {
    calls.onSend.mockRejectedValue(new Error("This file does not exist any more. Look at the list again."));
    await show({ extras });
    await type("look");
    await key("Enter");
    expect(host.querySelector("[role=alert]")?.textContent).toBe("Not sent: This file does not exist any more. Look at the list again. Your text and files are still here.");
  });

  it("stands with a message that waits", async () => {
    const file = { id: "f", name: "notes.pdf", media_type: "application/pdf", bytes: 2_048, size: null };
    const client = queryClient();
    await act(async () =>
      root.render(
        <QueryClientProvider client={client}>
          <ComposerView running steer={{ able: false, why: null }} queue={[{ id: "a", text: "first", attachments: [file], schema: '{"title":"Findings"}' }]} paused={null} draft="" {...calls} />
        </QueryClientProvider>,
      ),
    );
    expect(host.querySelector("ol")?.textContent).toBe("firstAsks for an answer by schema: Findingsnotes.pdf2 kB");
  });
});
