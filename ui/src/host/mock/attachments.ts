// Files that go with prompts, in the scripted host.
import type { AttachedFile, HostError } from "../bindings";

const waiting = new Map<string, Array<AttachedFile & { preview: string | null }>>();
let count = 0;

const gone: HostError = { kind: "not_found", message: "This file does not exist any more.", next_step: "Look at the list again." };
const plain = ({ preview: _preview, ...file }: AttachedFile & { preview: string | null }): AttachedFile => file;

function attach(place: string, name: string, mediaType: string, data: string): Promise<AttachedFile> {
  count += 1;
  const image = mediaType.startsWith("image/");
  const file = { id: `f-${count}`, name, media_type: mediaType, bytes: Math.floor((data.length * 3) / 4), size: image ? ([320, 200] as [number, number]) : null, preview: image ? `data:${mediaType};base64,${data}` : null };
  waiting.set(place, [...(waiting.get(place) ?? []), file]);
  return Promise.resolve(plain(file));
}

const everything = () => [...waiting.values()].flat();

export const files = {
  commands: {
    attach,
    attachments: (place: string) => Promise.resolve((waiting.get(place) ?? []).map(plain)),
    detach: (id: string) => {
      if (!everything().some((file) => file.id === id)) return Promise.reject(gone);
      for (const [place, list] of waiting) waiting.set(place, list.filter((file) => file.id !== id));
      return Promise.resolve(null);
    },
    attachmentPreview: (id: string) => Promise.resolve(everything().find((file) => file.id === id)?.preview ?? null),
  },
  /** The files of a prompt; they leave their draft. */
  sent(ids: readonly string[]): AttachedFile[] {
    const found = everything().filter((file) => ids.includes(file.id)).map(plain);
    for (const [place, list] of waiting) waiting.set(place, list.filter((file) => !ids.includes(file.id)));
    return found;
  },
};
