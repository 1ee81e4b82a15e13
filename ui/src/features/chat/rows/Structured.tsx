// The answer as data: to be read, or as the JSON that it is.
import { Braces, ShieldCheck } from "lucide-react";
import { useContext, useMemo, useState } from "react";
import { CodeBlock } from "../../../kit/Code";
import { CopyButton } from "../../../kit/CopyButton";
import { DataView } from "../../../kit/DataView";
import { prettyJson, readJson } from "../../../kit/json";
import { Segments } from "../../../kit/Switch";
import type { StructuredRow } from "../../../state/transcript-rows";
import { HarnessName } from "./context";
import styles from "./Structured.module.css";

const VIEWS = [{ value: "read" as const, label: "Readable" }, { value: "raw" as const, label: "JSON" }];

export function Structured({ row }: { row: StructuredRow }) {
  const harness = useContext(HarnessName);
  const value = useMemo(() => readJson(row.data), [row.data]);
  const pretty = useMemo(() => (value === null ? row.data : prettyJson(value)), [value, row.data]);
  const [view, setView] = useState<"read" | "raw">("read");
  return (
    <section className={styles.structured} aria-label="Structured answer" data-testid="row-structured">
      <header className={styles.head}>
        <span className={styles.title}><Braces aria-hidden="true" /> Structured answer</span>
        <span className={styles.tools}>
          {value === null ? null : <Segments label="View" value={view} options={VIEWS} onChange={setView} />}
          <CopyButton text={pretty} label="Copy as JSON" />
        </span>
      </header>
      {value === null || view === "raw" ? <div className={styles.raw}><CodeBlock code={pretty} language="json" /></div> : <div className={styles.data}><DataView value={value} /></div>}
      <p className={styles.checked}><ShieldCheck aria-hidden="true" /> Checked by {harness} against the schema</p>
    </section>
  );
}
