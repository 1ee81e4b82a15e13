import { act, renderHook, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type AttachedFile, host, HostError } from "../host";
import { addFiles, cancelUpload, dismissRefused, MAX_FILE_BYTES, MAX_FILES, readFiles, removeFile, takeFiles, useWaitingFiles } from "./attachments";

let count = 0;
let place: string;
const kept = (name: string): AttachedFile => ({ id: `id-${name}`, name, media_type: "text/plain", bytes: 3, size: null });
const file = (name: string, size?: number): File => {
  const made = new File(["abc"], name, { type: "text/plain" });
  if (size !== undefined) Object.defineProperty(made, "size", { value: size });
  return made;
};
const open = async (waiting: AttachedFile[] = []) => {
  vi.spyOn(host, "attachments").mockResolvedValue(waiting);
  const { result } = renderHook(() => useWaitingFiles(place));
  await waitFor(() => expect(result.current.files).toEqual(waiting));
  return result;
};
const names = (list: ReadonlyArray<{ name: string }>) => list.map(({ name }) => name);

beforeEach(() => {
  place = `place-${(count += 1)}`;
});

describe("files of a draft", () => {
  it("are there again after a reload", async () => {
    const result = await open([kept("a.txt"), kept("b.txt")]);
    expect(names(result.current.files)).toEqual(["a.txt", "b.txt"]);
  });

  it("go to the host one after another, in order, with their bytes as base64", async () => {
    const result = await open();
    const attach = vi.spyOn(host, "attach").mockImplementation(async (_place, name) => kept(name));
    act(() => addFiles(place, [file("one"), file("two")]));
    expect(names(result.current.uploads)).toEqual(["one", "two"]);
    await waitFor(() => expect(names(result.current.files)).toEqual(["one", "two"]));
    expect(result.current.uploads).toEqual([]);
    expect(attach.mock.calls).toEqual([[place, "one", "text/plain", btoa("abc")], [place, "two", "text/plain", btoa("abc")]]);
  });

  it("are refused without being read when they are too large, empty or too many", async () => {
    const result = await open(Array.from({ length: MAX_FILES - 1 }, (_, at) => kept(`${at}`)));
    const attach = vi.spyOn(host, "attach").mockImplementation(async (_place, name) => kept(name));
    act(() => addFiles(place, [file("large", MAX_FILE_BYTES + 1), file("empty", 0), file("last"), file("one too many")]));
    await waitFor(() => expect(result.current.files).toHaveLength(MAX_FILES));
    expect(attach).toHaveBeenCalledTimes(1);
    expect(result.current.refused.map(({ name, text }) => `${name}: ${text}`)).toEqual([
      "large: It is too large: 10.0 MB, at most 10 MB. Put it into the folder and name its path.",
      "empty: It is empty. Attach another file.",
      "one too many: A prompt takes at most 64 files. Remove one first.",
    ]);
  });

  it("that the host refuses are named with its words, and the others stay", async () => {
    const result = await open();
    vi.spyOn(host, "attach").mockImplementation(async (_place, name) => {
      if (name === "bad.png") throw new HostError({ kind: "invalid_request", message: "bad.png is no image that can be read.", next_step: "Attach another file." });
      return kept(name);
    });
    act(() => addFiles(place, [file("good"), file("bad.png"), file("better")]));
    await waitFor(() => expect(names(result.current.files)).toEqual(["good", "better"]));
    expect(result.current.refused).toMatchObject([{ name: "bad.png", text: "bad.png is no image that can be read. Attach another file." }]);
    act(() => dismissRefused(place, result.current.refused[0]?.id ?? ""));
    expect(result.current.refused).toEqual([]);
  });

  it("that cannot be read, such as a folder, say what to do", async () => {
    const result = await open();
    const folder = file("folder");
    vi.spyOn(FileReader.prototype, "readAsDataURL").mockImplementation(function (this: FileReader) {
      queueMicrotask(() => this.onerror?.(new ProgressEvent("error") as ProgressEvent<FileReader>));
    });
    act(() => addFiles(place, [folder]));
    await waitFor(() => expect(result.current.refused).toMatchObject([{ name: "folder", text: "It could not be read. If it is a folder, attach the files in it." }]));
    expect(result.current.uploads).toEqual([]);
  });

  it("can be taken back on their way: what arrives later is let go", async () => {
    const result = await open();
    let arrive: (file: AttachedFile) => void = () => {};
    vi.spyOn(host, "attach").mockReturnValue(new Promise((resolve) => (arrive = resolve)));
    const detach = vi.spyOn(host, "detach").mockResolvedValue(null);
    act(() => addFiles(place, [file("slow")]));
    await waitFor(() => expect(host.attach).toHaveBeenCalled());
    act(() => cancelUpload(place, result.current.uploads[0]?.id ?? ""));
    await act(async () => arrive(kept("slow")));
    await waitFor(() => expect(detach).toHaveBeenCalledWith("id-slow"));
    expect([result.current.files, result.current.uploads, result.current.refused]).toEqual([[], [], []]);
  });

  it("leave at once when removed, and come back when the host keeps them", async () => {
    const result = await open([kept("a"), kept("b")]);
    const detach = vi.spyOn(host, "detach").mockResolvedValueOnce(null).mockRejectedValueOnce(new HostError({ kind: "store_unusable", message: "The disk is full.", next_step: "Free some space." }));
    await act(() => removeFile(place, "id-a"));
    await act(() => removeFile(place, "id-b"));
    expect(detach).toHaveBeenCalledTimes(2);
    expect(names(result.current.files)).toEqual(["b"]);
    expect(result.current.trouble).toBe("b could not be removed. The disk is full. Free some space.");
  });

  it("go with a prompt, and wait again when it was not sent", async () => {
    const result = await open([kept("a"), kept("b")]);
    let taken = { ids: [] as string[], giveBack: () => {}, gone: () => {} };
    act(() => void (taken = takeFiles(place)));
    expect([taken.ids, result.current.files]).toEqual([["id-a", "id-b"], []]);
    act(() => taken.giveBack());
    expect(names(result.current.files)).toEqual(["a", "b"]);
    act(() => void (taken = takeFiles(place)));
    // A list that was read while the prompt was on its way still names them.
    await act(() => readFiles(place));
    expect(names(result.current.files)).toEqual(["a", "b"]);
    act(() => taken.gone());
    expect(result.current.files).toEqual([]);
  });

  it("that cannot be listed are said to be", async () => {
    vi.spyOn(host, "attachments").mockRejectedValue(new HostError({ kind: "store_unusable", message: "The chat store cannot be read.", next_step: "Try again." }));
    const { result } = renderHook(() => useWaitingFiles(place));
    await waitFor(() => expect(result.current.trouble).toBe("The attached files could not be listed. The chat store cannot be read. Try again."));
  });
});
