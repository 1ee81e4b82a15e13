// What goes with a prompt: names, pastes, drops, schemas and the strip.
import { QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { describe, expect, it, vi } from "vitest";
import { type AttachedFile, type HarnessCard, host } from "../host";
import { addFiles, type WaitingFiles } from "../state/attachments";
import { queryClient } from "../state/queries";
import { readSchema } from "../state/schemas";
import { DropZone } from "./DropZone";
import { FileStrip } from "./FileStrip";
import { nameParts, spokenName } from "./names";
import { fieldsOf, presetOf, PRESETS, schemaName, schemaTrouble } from "./schema";
import { pastedFiles } from "./transfer";
import { type Taken, useExtras } from "./useExtras";

const show = (children: ReactNode) => render(<QueryClientProvider client={queryClient()}>{children}</QueryClientProvider>);
const picture = (id: string, name: string): AttachedFile => ({ id, name, media_type: "image/png", bytes: 2_048, size: [32, 16] });
const other = (id: string, name: string): AttachedFile => ({ id, name, media_type: "text/plain", bytes: 5, size: null });
const card = (capabilities: Partial<HarnessCard["capabilities"]>) => ({ id: "claude", capabilities: { structured_answer: true, native_image_attachments: true, ...capabilities } }) as HarnessCard;
const nothing: WaitingFiles = { files: [], uploads: [], refused: [], trouble: null };

describe("a name", () => {
  it("keeps its end, and is never cut inside a letter", () => {
    expect(nameParts("short.png")).toEqual({ head: "short.png", tail: "" });
    const family = "👩‍👩‍👧‍👦";
    for (const name of ["a".repeat(4_000) + ".png", `${family.repeat(40)}.jpg`, `${"重構".repeat(40)}.txt`]) {
      const { head, tail } = nameParts(name);
      expect(head + tail).toBe(name);
      expect(name.endsWith(tail)).toBe(true);
      expect(/^[\u200d\udc00-\udfff]/.test(tail)).toBe(false);
    }
  });

  it("spells out marks that turn its letters round, and is short where it is spoken", () => {
    expect(nameParts("harmless\u202Egnp.exe").head + nameParts("harmless\u202Egnp.exe").tail).toContain("U+202E");
    expect(spokenName("x".repeat(4_000)).length).toBeLessThanOrEqual(80);
  });
});

describe("a paste", () => {
  const data = (types: string[], text: string, ...files: File[]) => ({ types, files: files as unknown as FileList, getData: () => text });
  const png = new File(["x"], "image.png", { type: "image/png" });

  it("of pictures and files brings them; nameless pictures get names of their own", () => {
    const names = pastedFiles(data(["Files", "text/html"], "", png, new File(["x"], "notes.pdf")), 2).map(({ name }) => name);
    expect(names).toEqual(["pasted-image-3.png", "notes.pdf"]);
    expect(pastedFiles(data(["Files", "text/plain"], "/home/ada/notes.pdf", new File(["x"], "notes.pdf")), 0)).toHaveLength(1);
  });

  it("of formatted text with a picture of itself stays text", () => {
    expect(pastedFiles(data(["text/plain", "text/html", "Files"], "A1\tB1", png), 0)).toEqual([]);
    expect(pastedFiles(data(["text/plain"], "words"), 0)).toEqual([]);
  });
});

describe("a schema", () => {
  it("is a JSON object; anything else is refused with its place", () => {
    expect(schemaTrouble("")).toMatch(/^Write a schema/);
    expect(schemaTrouble('{\n  "type": object\n}')).toBe("Line 2, column 11: a value belongs here.");
    expect(schemaTrouble("[]")).toBe("A schema is an object: write it as { … }.");
    expect(schemaTrouble(`{"a": "${"ü".repeat(50_000)}"}`)).toBe("The schema is longer than 64 KiB. Shorten it.");
    for (const preset of PRESETS) expect(schemaTrouble(preset.text)).toBeNull();
  });

  it("is known again however it is spaced, and named by what it holds", () => {
    const [first] = PRESETS;
    expect(presetOf(JSON.stringify(JSON.parse(first?.text ?? "")))?.id).toBe("yes-no");
    expect(schemaName(first?.text ?? "")).toBe("yes or no, with reason");
    expect(schemaName('{"title": "Findings"}')).toBe("Findings");
    expect(schemaName('{"properties": {"a": {}, "b": {}}}')).toBe("a, b");
    expect(schemaName("{}")).toBe("of your own");
    expect(fieldsOf("[]")).toEqual([]);
  });
});

describe("the strip", () => {
  const calls = { onRemove: vi.fn(), onCancel: vi.fn(), onDismiss: vi.fn() };

  it("is not there while nothing goes along", () => {
    const { container } = show(<FileStrip waiting={nothing} nativeImages schema={null} {...calls} />);
    expect(container.textContent).toBe("");
  });

  it("shows what waits, what is on its way and what was refused, each with a named way out", async () => {
    const preview = vi.spyOn(host, "attachmentPreview").mockResolvedValue("data:image/png;base64,AAAA");
    const waiting: WaitingFiles = {
      files: [picture("1", "map.png"), other("2", "log.txt")],
      uploads: [{ id: "u", name: "slow.pdf", bytes: 4_096 }],
      refused: [{ id: "r", name: "big.iso", text: "It is too large." }],
      trouble: null,
    };
    show(<FileStrip waiting={waiting} nativeImages schema={{ name: "a, b", onOpen: vi.fn(), onRemove: vi.fn() }} {...calls} />);
    await screen.findByRole("button", { name: "Open map.png" });
    expect(preview).toHaveBeenCalledExactlyOnceWith("1", false);
    expect(screen.getByRole("alert").textContent).toContain("big.iso was not attached. It is too large.");
    for (const name of ["Remove map.png", "Remove log.txt", "Stop attaching slow.pdf", "Dismiss: big.iso", "Do not ask by a schema"]) fireEvent.click(screen.getByRole("button", { name }));
    expect([calls.onRemove.mock.calls, calls.onCancel.mock.calls, calls.onDismiss.mock.calls]).toEqual([[["1"], ["2"]], [["u"]], [["r"]]]);
  });

  it("says that a picture goes as a path where the harness takes none", () => {
    show(<FileStrip waiting={{ ...nothing, files: [picture("3", "map.png"), other("4", "log.txt")] }} nativeImages={false} schema={null} {...calls} />);
    expect(screen.getAllByRole("listitem").map((each) => each.textContent)).toEqual(["map.png2 kB · sent as a path", "log.txt5 B"]);
  });

  it("opens a picture in a dialog that says what it is; an address that is no picture is not shown", async () => {
    vi.spyOn(host, "attachmentPreview").mockImplementation(async (id) => (id === "5" ? "data:image/png;base64,AAAA" : "https://example.org/x.png"));
    show(<FileStrip waiting={{ ...nothing, files: [picture("5", "map.png"), picture("6", "odd.png")] }} nativeImages schema={null} {...calls} />);
    fireEvent.click(await screen.findByRole("button", { name: "Open map.png" }));
    const dialog = await screen.findByRole("dialog", { name: "map.png" });
    expect(dialog.textContent).toContain("32 × 16 pixels · 2 kB · PNG");
    await waitFor(() => expect(screen.queryByRole("button", { name: "Open odd.png" })).toBeNull());
    expect(document.querySelector("img[src^=http]")).toBeNull();
  });
});

describe("a drop", () => {
  const drag = (type: string, target: Element, files: File[], types = ["Files"]) => {
    const event = new Event(type, { bubbles: true, cancelable: true });
    Object.assign(event, { dataTransfer: { types, files, dropEffect: "" }, relatedTarget: null });
    fireEvent(target, event);
    return event;
  };

  it("is taken anywhere on the zone, and is said while it is held over it", () => {
    const onFiles = vi.fn();
    show(<DropZone label="Drop here" onFiles={onFiles}><p>text</p></DropZone>);
    const target = screen.getByText("text");
    const file = new File(["x"], "a.txt");
    expect(drag("dragover", target, [file]).defaultPrevented).toBe(true);
    expect(screen.getByText("Drop here")).toBeTruthy();
    drag("dragleave", target, []);
    expect(screen.queryByText("Drop here")).toBeNull();
    drag("dragenter", target, [file]);
    drag("drop", target, [file]);
    expect(onFiles).toHaveBeenCalledExactlyOnceWith([file]);
    expect(screen.queryByText("Drop here")).toBeNull();
  });

  it("of text is left to the field", () => {
    const onFiles = vi.fn();
    show(<DropZone label="Drop here" onFiles={onFiles}><textarea /></DropZone>);
    expect(drag("dragover", screen.getByRole("textbox"), [], ["text/plain"]).defaultPrevented).toBe(false);
    drag("drop", screen.getByRole("textbox"), [], ["text/plain"]);
    expect(onFiles).not.toHaveBeenCalled();
  });
});

describe("what goes along", () => {
  let taken: Taken;
  function Writer({ place, harness }: { place: string; harness: HarnessCard }) {
    const extras = useExtras(place, harness);
    return <>{extras.strip}{extras.tools}<output>{extras.waits ?? (extras.holds ? "files" : "none")}</output><button type="button" onClick={() => (taken = extras.take())}>take</button></>;
  }
  const ask = async () => {
    fireEvent.click(screen.getByRole("button", { name: "Answer by a schema" }));
    fireEvent.click(await screen.findByRole("button", { name: "List of strings" }));
    fireEvent.click(screen.getByRole("button", { name: "Ask by this schema" }));
  };

  it("is a schema for one message; the last one is remembered, and asked by again when sending failed", async () => {
    vi.spyOn(host, "attachments").mockResolvedValue([]);
    show(<Writer place="w-1" harness={card({})} />);
    await ask();
    expect(screen.getByText("list of strings")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "take" }));
    expect(JSON.parse(taken.schema ?? "")).toMatchObject({ required: ["items"] });
    expect(screen.queryByText("list of strings")).toBeNull();
    expect(readSchema("w-1")).toEqual({ text: taken.schema, on: false });
    taken.giveBack();
    await screen.findByText("list of strings");
    fireEvent.click(screen.getByRole("button", { name: "Do not ask by a schema" }));
    fireEvent.click(screen.getByRole("button", { name: "take" }));
    expect(taken.schema).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Answer by a schema" }));
    expect(((await screen.findByRole("textbox")) as HTMLTextAreaElement).value).toContain('"items"');
  });

  it("does not ask by a text that is no schema, and says where it is wrong", async () => {
    vi.spyOn(host, "attachments").mockResolvedValue([]);
    show(<Writer place="w-2" harness={card({})} />);
    fireEvent.click(screen.getByRole("button", { name: "Answer by a schema" }));
    fireEvent.change(await screen.findByRole("textbox"), { target: { value: '{\n"type": "object",\n}' } });
    expect(screen.getByText("Line 3, column 1: the comma before it is one too many.")).toBeTruthy();
    expect((screen.getByRole("button", { name: "Ask by this schema" }) as HTMLButtonElement).disabled).toBe(true);
  });

  it("is no schema where the harness cannot, not even a remembered one", async () => {
    vi.spyOn(host, "attachments").mockResolvedValue([]);
    localStorage.setItem("paddock.draft.schema.w-3", JSON.stringify({ text: "{}", on: true }));
    show(<Writer place="w-3" harness={card({ structured_answer: false })} />);
    expect(screen.queryByRole("button", { name: "Answer by a schema" })).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "take" }));
    expect(taken.schema).toBeNull();
  });

  it("holds the message back while a file is on its way", async () => {
    vi.spyOn(host, "attachments").mockResolvedValue([]);
    let arrive: (file: AttachedFile) => void = () => {};
    vi.spyOn(host, "attach").mockReturnValue(new Promise((resolve) => (arrive = resolve)));
    show(<Writer place="w-4" harness={card({})} />);
    fireEvent.change(screen.getByTestId("attach-input"), { target: { files: [new File(["x"], "a.txt")] } });
    await screen.findByText("A file is still being attached");
    await waitFor(() => expect(host.attach).toHaveBeenCalled());
    arrive(other("9", "a.txt"));
    await screen.findByText("files");
    addFiles("w-4", []);
    fireEvent.click(screen.getByRole("button", { name: "take" }));
    expect(taken.attachments).toEqual(["9"]);
    await screen.findByText("none");
  });
});
