import { nameParts, spokenName } from "./names";
import styles from "./Files.module.css";

/** A name that is cut in its middle when there is no room. */
export function FileName({ name }: { name: string }) {
  const { head, tail } = nameParts(name);
  return (
    <span className={styles.name} title={spokenName(name)} dir="auto">
      <span className={styles.head}>{head}</span>
      {tail ? <span className={styles.tail}>{tail}</span> : null}
    </span>
  );
}
