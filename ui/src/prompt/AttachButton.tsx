import { Paperclip } from "lucide-react";
import { useRef } from "react";
import { IconButton } from "../kit/Button";

/** Opens the system's own chooser. */
export function AttachButton({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton label="Attach files" size="sm" onClick={() => input.current?.click()}><Paperclip /></IconButton>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        data-testid="attach-input"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          // The same file can be chosen again.
          event.target.value = "";
        }}
      />
    </>
  );
}
