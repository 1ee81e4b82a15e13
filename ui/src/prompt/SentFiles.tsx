import type { AttachedFile } from "../host";
import { cx } from "../kit/cx";
import { FileChip } from "./FileChip";
import styles from "./Files.module.css";
import { isPicture } from "./preview";
import { Thumb } from "./Thumb";

/** Files that went, or will go, with a prompt: pictures as such, others as chips. */
export function SentFiles({ files, compact }: { files: readonly AttachedFile[]; compact?: boolean }) {
  if (files.length === 0) return null;
  return (
    <ul className={cx(styles.sent, compact && styles.compact)} aria-label="Files of this message" data-scrolls-sideways={compact || undefined}>
      {files.map((file) =>
        isPicture(file) && !compact ? (
          <li key={file.id} className={styles.sentPicture}><Thumb file={file} look="picture" /></li>
        ) : (
          <li key={file.id} className={styles.chip}><FileChip file={file} /></li>
        ),
      )}
    </ul>
  );
}
