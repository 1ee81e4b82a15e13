// Files that go with prompts, in the scripted host.
import type { AttachedFile } from "../bindings";
import { HostError } from "../error";

/** A flat picture: deterministic, small, and plainly a picture. */
function drawn(width: number, height: number, part: string, sky: string, hill: string, sun: string): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${part}" preserveAspectRatio="xMidYMid slice"><rect width="320" height="200" fill="${sky}"/><circle cx="236" cy="62" r="26" fill="${sun}"/><path d="M0 150 L70 86 L128 138 L190 74 L320 168 V200 H0Z" fill="${hill}"/><path d="M0 176 L96 140 L208 184 L320 150 V200 H0Z" fill="${sun}" opacity=".55"/></svg>`;
  return `data:image/svg+xml;base64,${btoa(svg)}`;
}

const PICTURES: Record<string, string> = {
  day: drawn(320, 200, "0 0 320 200", "#cfe3ee", "#4f7a63", "#f0c36a"),
  dusk: drawn(180, 320, "174 6 106 188", "#3a3f63", "#1f2540", "#e08a6d"),
};

interface Kept {
  file: AttachedFile;
  preview: string | null;
}

const kept = new Map<string, Kept>();
const waiting = new Map<string, string[]>();
let count = 0;

/** A file of a scene. */
export function fileOf(id: string, name: string, media_type: string, bytes: number, picture?: "day" | "dusk"): AttachedFile {
  const size: [number, number] | null = picture === "day" ? [2560, 1600] : picture === "dusk" ? [1170, 2532] : null;
  const file = { id, name, media_type, bytes, size };
  kept.set(id, { file, preview: picture ? (PICTURES[picture] ?? null) : null });
  return file;
}

/** What every scene with files has. */
export const SCREENSHOT = (id: string) => fileOf(id, "screenshot of the map at zoom level 12, before the fix.png", "image/png", 1_284_000, "day");
export const PHONE = (id: string) => fileOf(id, "phone.jpg", "image/jpeg", 412_000, "dusk");
export const LOG = (id: string) => fileOf(id, "tile-requests-2026-03-14T15-02.log", "text/plain", 88_400);

const gone = new HostError({ kind: "not_found", message: "This file does not exist any more.", next_step: "Look at the list again." });

export const files = {
  commands: {
    attach: (place: string, name: string, mediaType: string, data: string): Promise<AttachedFile> => {
      count += 1;
      const image = mediaType.startsWith("image/");
      if (image && name.startsWith("broken")) {
        return Promise.reject(new HostError({ kind: "invalid_request", message: `${name} is no image that can be read.`, next_step: "Attach another file." }));
      }
      const file: AttachedFile = { id: `f-${count}`, name, media_type: mediaType || "application/octet-stream", bytes: Math.floor((data.length * 3) / 4), size: image ? [320, 200] : null };
      kept.set(file.id, { file, preview: image ? `data:${mediaType};base64,${data}` : null });
      waiting.set(place, [...(waiting.get(place) ?? []), file.id]);
      return Promise.resolve(file);
    },
    attachments: (place: string) => Promise.resolve((waiting.get(place) ?? []).flatMap((id) => kept.get(id)?.file ?? [])),
    detach: (id: string) => {
      if (![...waiting.values()].flat().includes(id)) return Promise.reject(gone);
      files.sent([id]);
      return Promise.resolve(null);
    },
    attachmentPreview: (id: string) => Promise.resolve(kept.get(id)?.preview ?? null),
  },
  /** Files that wait when the window opens. */
  wait(place: string, list: readonly AttachedFile[]): void {
    waiting.set(place, list.map(({ id }) => id));
  },
  /** The files of a prompt; they leave their draft. */
  sent(ids: readonly string[]): AttachedFile[] {
    for (const [place, list] of waiting) waiting.set(place, list.filter((id) => !ids.includes(id)));
    return ids.flatMap((id) => kept.get(id)?.file ?? []);
  },
};
