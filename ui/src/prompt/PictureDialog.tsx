import { type AttachedFile, inWords } from "../host";
import { Button } from "../kit/Button";
import { Dialog } from "../kit/Dialog";
import { byteSize } from "../kit/size";
import styles from "./Files.module.css";
import { spokenName } from "./names";
import { usePreview } from "./preview";

/** One picture by itself. Esc closes it. */
export function PictureDialog({ file, open, onClose }: { file: AttachedFile; open: boolean; onClose: () => void }) {
  const { address, error } = usePreview(file, open ? "large" : "small");
  const facts = [file.size ? `${file.size[0]} × ${file.size[1]} pixels` : null, byteSize(file.bytes), file.media_type.replace(/^image\//, "").toUpperCase()];
  return (
    <Dialog open={open} onClose={onClose} wide title={spokenName(file.name)} text={facts.filter(Boolean).join(" · ")} actions={<Button onClick={onClose}>Close</Button>}>
      <div className={styles.stage}>
        {address ? <img src={address} alt={`Preview of ${spokenName(file.name)}`} /> : <p>{error ? inWords(error) : "No preview of this picture can be made."}</p>}
      </div>
    </Dialog>
  );
}
