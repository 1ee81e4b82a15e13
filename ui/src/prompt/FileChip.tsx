// One file as a chip: what it is, its name, its size, and what can be done with it.
import { LoaderCircle, X } from "lucide-react";
import type { ReactNode } from "react";
import type { AttachedFile } from "../host";
import { byteSize } from "../kit/size";
import { FileName } from "./FileName";
import styles from "./Files.module.css";
import { spokenName } from "./names";
import { isPicture } from "./preview";
import { Thumb } from "./Thumb";

interface ChipProps {
  name: string;
  meta: ReactNode;
  start: ReactNode;
  remove?: { label: string; run: () => void };
}

export function Chip({ name, meta, start, remove }: ChipProps) {
  return (
    <>
      {start}
      <span className={styles.text}>
        <FileName name={name} />
        <span className={styles.meta}>{meta}</span>
      </span>
      {remove ? (
        <button type="button" className={styles.remove} aria-label={remove.label} title="Remove" onClick={remove.run}>
          <X aria-hidden="true" />
        </button>
      ) : null}
    </>
  );
}

export interface FileChipProps {
  file: AttachedFile;
  /** The harness is given pictures as pictures; otherwise it is told their path. */
  nativeImages?: boolean;
  onRemove?: () => void;
}

export function FileChip({ file, nativeImages = true, onRemove }: FileChipProps) {
  const asPath = isPicture(file) && !nativeImages;
  const meta = (
    <>
      {byteSize(file.bytes)}
      {asPath ? <span className={styles.asPath} title="This harness takes no pictures: it is told where the file is"> · sent as a path</span> : null}
    </>
  );
  return <Chip name={file.name} meta={meta} start={<Thumb file={file} look="square" />} {...(onRemove ? { remove: { label: `Remove ${spokenName(file.name)}`, run: onRemove } } : {})} />;
}

/** A file on its way to the host. */
export function UploadChip({ name, bytes, onCancel }: { name: string; bytes: number; onCancel: () => void }) {
  return (
    <Chip
      name={name}
      meta={<>Attaching {byteSize(bytes)}…</>}
      start={<span className={styles.sign} data-busy aria-hidden="true"><LoaderCircle /></span>}
      remove={{ label: `Stop attaching ${spokenName(name)}`, run: onCancel }}
    />
  );
}
