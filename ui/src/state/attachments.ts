/** Files that wait in a draft, by its place. The host keeps them; here is what the window knows and what is under way. */
import { useEffect } from "react";
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import { host, hostError, inWords, type AttachedFile } from "../host";
import { byteSize } from "../kit/size";

/** Largest file, in bytes; the host refuses a larger one. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** Most files of a prompt. */
export const MAX_FILES = 64;
/** Refusals that are kept in view. */
const MAX_REFUSED = 5;

/** A file on its way to the host. */
export interface Upload {
  id: string;
  name: string;
  bytes: number;
}

/** A file that was not taken, and why. */
export interface Refused {
  id: string;
  name: string;
  text: string;
}

export interface WaitingFiles {
  files: readonly AttachedFile[];
  uploads: readonly Upload[];
  refused: readonly Refused[];
  /** The list could not be read, or a file not be removed. */
  trouble: string | null;
}

const NOTHING: WaitingFiles = { files: [], uploads: [], refused: [], trouble: null };

const places = createStore<ReadonlyMap<string, WaitingFiles>>(() => new Map());
const at = (place: string): WaitingFiles => places.getState().get(place) ?? NOTHING;

function change(place: string, over: (before: WaitingFiles) => Partial<WaitingFiles>): void {
  places.setState((before) => {
    const next = new Map(before);
    const known = next.get(place) ?? NOTHING;
    const now = { ...known, ...over(known) };
    // A place of which there is nothing to say is not kept.
    if (now.files.length + now.uploads.length + now.refused.length === 0 && now.trouble === null) next.delete(place);
    else next.set(place, now);
    return next;
  }, true);
}

let count = 0;
const newId = (): string => `u-${(count += 1)}`;

/** Reads what waits. What was added or removed meanwhile makes the answer old: it is asked for again. */
export async function readFiles(place: string): Promise<void> {
  try {
    const before = at(place).files;
    const files = await host.attachments(place);
    if (at(place).files !== before) return await readFiles(place);
    change(place, () => ({ files, trouble: null }));
  } catch (cause) {
    change(place, () => ({ trouble: `The attached files could not be listed. ${inWords(cause)}` }));
  }
}

/** Why a file is not even read. */
function refusal(file: File, taken: number): string | null {
  if (file.size > MAX_FILE_BYTES) return `It is too large: ${byteSize(file.size)}, at most 10 MB. Put it into the folder and name its path.`;
  if (file.size === 0) return "It is empty. Attach another file.";
  if (taken >= MAX_FILES) return `A prompt takes at most ${MAX_FILES} files. Remove one first.`;
  return null;
}

function refuse(place: string, name: string, text: string): void {
  change(place, ({ refused }) => ({ refused: [...refused, { id: newId(), name, text }].slice(-MAX_REFUSED) }));
}

function contents(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const address = String(reader.result);
      resolve(address.slice(address.indexOf(",") + 1));
    };
    reader.onerror = () => reject(reader.error ?? new Error("not readable"));
    reader.readAsDataURL(file);
  });
}

/** One file after another: their order is kept, and only one is held in memory. */
let line: Promise<void> = Promise.resolve();

/** Takes files into a draft. What cannot be taken is said beside the others. */
export function addFiles(place: string, files: readonly File[]): void {
  for (const file of files) {
    const { files: kept, uploads } = at(place);
    const why = refusal(file, kept.length + uploads.length);
    if (why !== null) {
      refuse(place, file.name, why);
      continue;
    }
    const upload: Upload = { id: newId(), name: file.name, bytes: file.size };
    change(place, (before) => ({ uploads: [...before.uploads, upload] }));
    line = line.then(() => send(place, upload, file));
  }
}

const underWay = (place: string, id: string): boolean => at(place).uploads.some((upload) => upload.id === id);
const done = (place: string, id: string) => change(place, ({ uploads }) => ({ uploads: uploads.filter((upload) => upload.id !== id) }));

async function send(place: string, { id, name }: Upload, file: File): Promise<void> {
  if (!underWay(place, id)) return;
  const data = await contents(file).catch(() => null);
  if (data === null) {
    refuse(place, name, "It could not be read. If it is a folder, attach the files in it.");
    return done(place, id);
  }
  try {
    const kept = await host.attach(place, name, file.type, data);
    // Taken back while it was on its way.
    if (!underWay(place, id)) return void (await host.detach(kept.id));
    change(place, ({ files }) => ({ files: [...files, kept] }));
  } catch (cause) {
    if (underWay(place, id)) refuse(place, name, inWords(cause));
  }
  done(place, id);
}

/** Takes a file back that is on its way. */
export const cancelUpload = done;

export function dismissRefused(place: string, id: string): void {
  change(place, ({ refused }) => ({ refused: refused.filter((each) => each.id !== id) }));
}

/** Takes a file out of the draft; it comes back when the host does not let it go. */
export async function removeFile(place: string, id: string): Promise<void> {
  const before = at(place).files;
  change(place, ({ files }) => ({ files: files.filter((file) => file.id !== id), trouble: null }));
  try {
    await host.detach(id);
  } catch (cause) {
    if (hostError(cause).kind === "not_found") return;
    const known = before.find((file) => file.id === id);
    change(place, ({ files }) => ({ files: known ? [...files, known] : files, trouble: `${known?.name ?? "The file"} could not be removed. ${inWords(cause)}` }));
  }
}

export interface TakenFiles {
  ids: string[];
  /** The prompt was not sent: they wait again. */
  giveBack: () => void;
  /** It was sent: a list that was read meanwhile may still name them. */
  gone: () => void;
}

/** Takes the files along with a prompt that is being sent. */
export function takeFiles(place: string): TakenFiles {
  const { files } = at(place);
  if (files.length > 0 || at(place).refused.length > 0) change(place, () => ({ files: [], refused: [], trouble: null }));
  const giveBack = () => change(place, ({ files: since }) => ({ files: [...files, ...since.filter(({ id }) => files.every((file) => file.id !== id))] }));
  const gone = () => {
    if (files.length > 0) change(place, ({ files: since }) => ({ files: since.filter(({ id }) => files.every((file) => file.id !== id)) }));
  };
  return { ids: files.map(({ id }) => id), giveBack, gone };
}

/** What waits in a draft, read from the host when it is first looked at. */
export function useWaitingFiles(place: string): WaitingFiles {
  useEffect(() => void readFiles(place), [place]);
  return useStore(places, (state) => state.get(place) ?? NOTHING);
}
