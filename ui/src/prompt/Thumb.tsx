// A small square of a file: its picture, or a sign of its kind.
import { File, FileArchive, FileCode, FileImage, FileText } from "lucide-react";
import { useState } from "react";
import type { AttachedFile } from "../host";
import styles from "./Files.module.css";
import { spokenName } from "./names";
import { PictureDialog } from "./PictureDialog";
import { isPicture, usePreview } from "./preview";

function Sign({ type, name }: { type: string; name: string }) {
  if (type.startsWith("image/")) return <FileImage />;
  if (/zip|tar|gzip|compressed/.test(type)) return <FileArchive />;
  if (/json|xml|javascript|x-/.test(type) || /\.(rs|tsx?|jsx?|py|go|c|h|cpp|java|sh|toml|ya?ml)$/i.test(name)) return <FileCode />;
  return type.startsWith("text/") || type.endsWith("/pdf") ? <FileText /> : <File />;
}

/** A picture opens larger; any other file is only shown. */
export function Thumb({ file, look }: { file: AttachedFile; look: "square" | "picture" }) {
  const { address, waiting } = usePreview(file);
  const [open, setOpen] = useState(false);
  if (!isPicture(file) || (address === null && !waiting)) {
    return <span className={styles.sign} aria-hidden="true"><Sign type={file.media_type} name={file.name} /></span>;
  }
  const [width, height] = file.size ?? [1, 1];
  return (
    <>
      <button
        type="button"
        className={look === "square" ? styles.square : styles.picture}
        style={look === "picture" ? { aspectRatio: `${shape(width, height)}` } : undefined}
        aria-label={`Open ${spokenName(file.name)}`}
        aria-busy={waiting || undefined}
        onClick={() => setOpen(true)}
      >
        {address ? <img src={address} alt="" draggable={false} /> : null}
      </button>
      <PictureDialog file={file} open={open} onClose={() => setOpen(false)} />
    </>
  );
}

/** Width by height of the place of a picture: very long ones are cut. */
function shape(width: number, height: number): number {
  const ratio = width / Math.max(height, 1);
  return Math.min(Math.max(ratio, 0.6), 2.2);
}
