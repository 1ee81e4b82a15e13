// What goes with the next prompt: files, files on their way, the schema; and what could not be taken.
import { Braces, CircleAlert, X } from "lucide-react";
import type { Refused, WaitingFiles } from "../state/attachments";
import { FileChip, UploadChip } from "./FileChip";
import styles from "./Files.module.css";
import { spokenName } from "./names";

export interface FileStripProps {
  waiting: WaitingFiles;
  nativeImages: boolean;
  /** What the next prompt asks an answer by; null: no schema. */
  schema: { name: string; onOpen: () => void; onRemove: () => void } | null;
  onRemove: (id: string) => void;
  onCancel: (id: string) => void;
  onDismiss: (id: string) => void;
}

export function FileStrip({ waiting, nativeImages, schema, onRemove, onCancel, onDismiss }: FileStripProps) {
  const { files, uploads, refused, trouble } = waiting;
  const any = files.length + uploads.length > 0;
  if (!any && !schema && refused.length === 0 && trouble === null) return null;
  return (
    <div className={styles.strip} data-testid="attachments">
      <p className="visually-hidden" role="status">{files.length === 0 ? "" : files.length === 1 ? "1 file attached" : `${files.length} files attached`}</p>
      {schema ? (
        <div className={styles.schema}>
          <button type="button" className={styles.schemaName} onClick={schema.onOpen} aria-haspopup="dialog">
            <Braces aria-hidden="true" />
            <span className={styles.schemaWord}>Answer by schema</span>
            <span className={styles.schemaText}>{schema.name}</span>
          </button>
          <button type="button" className={styles.remove} aria-label="Do not ask by a schema" title="Remove" onClick={schema.onRemove}>
            <X aria-hidden="true" />
          </button>
        </div>
      ) : null}
      {any ? (
        <ul className={styles.chips} aria-label="Attached files" data-scrolls-sideways>
          {files.map((file) => (
            <li key={file.id} className={styles.chip}>
              <FileChip file={file} nativeImages={nativeImages} onRemove={() => onRemove(file.id)} />
            </li>
          ))}
          {uploads.map(({ id, name, bytes }) => (
            <li key={id} className={styles.chip} aria-busy="true">
              <UploadChip name={name} bytes={bytes} onCancel={() => onCancel(id)} />
            </li>
          ))}
        </ul>
      ) : null}
      {refused.length > 0 || trouble !== null ? (
        <div role="alert" className={styles.refusals}>
          {trouble === null ? null : <p className={styles.refusal}><CircleAlert aria-hidden="true" /><span className={styles.why}>{trouble}</span></p>}
          {refused.map((each) => <Refusal key={each.id} refused={each} onDismiss={() => onDismiss(each.id)} />)}
        </div>
      ) : null}
    </div>
  );
}

function Refusal({ refused: { name, text }, onDismiss }: { refused: Refused; onDismiss: () => void }) {
  return (
    <p className={styles.refusal}>
      <CircleAlert aria-hidden="true" />
      <span className={styles.why}>
        <Sentence name={name} text={text} />
      </span>
      <button type="button" className={styles.remove} aria-label={`Dismiss: ${spokenName(name)}`} title="Dismiss" onClick={onDismiss}>
        <X aria-hidden="true" />
      </button>
    </p>
  );
}

/** The host begins with the name where it is about the file itself: it is not said twice. */
function Sentence({ name, text }: { name: string; text: string }) {
  const shown = <b><bdi>{spokenName(name)}</bdi></b>;
  return text.startsWith(name) ? <>Not attached: {shown}{text.slice(name.length)}</> : <>{shown} was not attached. {text}</>;
}
