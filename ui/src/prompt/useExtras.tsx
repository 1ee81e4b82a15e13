// What goes with a prompt besides its text, for every place where one is written: chat, new chat, fork.
import { Braces } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { HarnessCard } from "../host";
import { IconButton } from "../kit/Button";
import { addFiles, cancelUpload, dismissRefused, removeFile, takeFiles, useWaitingFiles } from "../state/attachments";
import { keepSchema, useSchema } from "../state/schemas";
import { AttachButton } from "./AttachButton";
import { FileStrip } from "./FileStrip";
import { schemaName } from "./schema";
import { SchemaDialog } from "./SchemaDialog";
import { pastedFiles } from "./transfer";

/** What is sent, and the way back. */
export interface Taken {
  attachments: string[];
  schema: string | null;
  /** The prompt was not sent: all of it waits again. */
  giveBack: () => void;
  /** The prompt was sent. */
  gone: () => void;
}

export interface Extras {
  /** Chips; null while there is nothing. */
  strip: ReactNode;
  /** Buttons for the row of tools. */
  tools: ReactNode;
  /** Files go with the prompt. */
  holds: boolean;
  /** Why nothing can be sent yet; null when it can. */
  waits: string | null;
  /** Takes the files of a paste. False: it is a paste of text. */
  onPaste: (data: DataTransfer) => boolean;
  take: () => Taken;
}

/** Said where files wait and no text does. */
export const NEEDS_TEXT = "Write what to do with the files";

/** Give the component that calls it a key of the place. */
export function useExtras(place: string, card: HarnessCard | undefined): Extras {
  const waiting = useWaitingFiles(place);
  const [asked, setAsked] = useSchema(place);
  const [editing, setEditing] = useState(false);
  const can = card?.capabilities.structured_answer ?? false;
  const on = can && asked.on;
  const { files, uploads, refused, trouble } = waiting;
  const shown = files.length + uploads.length + refused.length > 0 || trouble !== null || on;
  const attach = (more: readonly File[]) => addFiles(place, more);
  const strip = (
    <FileStrip
      waiting={waiting}
      nativeImages={card?.capabilities.native_image_attachments ?? true}
      schema={on ? { name: schemaName(asked.text), onOpen: () => setEditing(true), onRemove: () => setAsked({ ...asked, on: false }) } : null}
      onRemove={(id) => void removeFile(place, id)}
      onCancel={(id) => cancelUpload(place, id)}
      onDismiss={(id) => dismissRefused(place, id)}
    />
  );
  return {
    strip: shown ? strip : null,
    tools: (
      <>
        <AttachButton onFiles={attach} />
        {can ? (
          <>
            <IconButton label="Answer by a schema" size="sm" aria-pressed={on} aria-haspopup="dialog" onClick={() => setEditing(true)}><Braces /></IconButton>
            <SchemaDialog
              open={editing}
              text={asked.text}
              on={on}
              onClose={() => setEditing(false)}
              onAsk={(text) => {
                setAsked({ text, on: true });
                setEditing(false);
              }}
              onStop={() => {
                setAsked({ ...asked, on: false });
                setEditing(false);
              }}
            />
          </>
        ) : null}
      </>
    ),
    holds: files.length + uploads.length > 0,
    waits: uploads.length === 0 ? null : uploads.length === 1 ? "A file is still being attached" : `${uploads.length} files are still being attached`,
    onPaste: (data) => {
      const pasted = pastedFiles(data, files.length + uploads.length);
      if (pasted.length > 0) attach(pasted);
      return pasted.length > 0;
    },
    take: () => {
      const taken = takeFiles(place);
      if (on) setAsked({ ...asked, on: false });
      return {
        attachments: taken.ids,
        schema: on ? asked.text : null,
        gone: taken.gone,
        giveBack: () => {
          taken.giveBack();
          if (on) setAsked(asked);
        },
      };
    },
  };
}

/** A chat that was just made remembers the schema of the draft it came from. */
export function handOnSchema(schema: string | null, chat: string): void {
  if (schema !== null) keepSchema(chat, { text: schema, on: false });
}
