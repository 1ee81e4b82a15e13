// Input and output of a step.
import { useState } from "react";
import { Ansi } from "../../../kit/Ansi";
import { CodeBlock } from "../../../kit/Code";
import { VisibleText } from "../../../kit/CodeVisible";
import { CopyButton } from "../../../kit/CopyButton";
import { Diff } from "../../../kit/Diff";
import type { Payload } from "../../../state/transcript-events";
import type { PayloadRef, ToolRow } from "../../../state/transcript-rows";
import { askedIn } from "../words";
import { Whole } from "./Whole";
import styles from "./Rows.module.css";

/** Lines of output shown before it is folded. */
const MAX_LINES_SHOWN = 40;
/** Characters of output shown before it is folded. */
const MAX_CHARS_SHOWN = 8_000;

const EXTENSIONS: Record<string, string> = { rs: "rust", ts: "tsx", tsx: "tsx", js: "tsx", py: "python", md: "markdown", sh: "bash", yml: "yaml" };

function languageOf(path: string): string {
  const end = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  return EXTENSIONS[end] ?? end;
}

function ref(payload: Payload, seq: number | null, part: PayloadRef["part"]): PayloadRef | null {
  return payload.truncated && seq !== null ? { seq, part, bytes: payload.bytes } : null;
}

function Input({ row }: { row: ToolRow }) {
  const { detail, input } = row;
  const asked = detail?.kind === "question" ? askedIn(row) : [];
  if (asked.length > 0) return <ul className={styles.questions}>{asked.map((question) => <li key={question}><VisibleText text={question} /></li>)}</ul>;
  if (detail?.kind === "command") return <CodeBlock code={detail.command} language="bash" />;
  if (detail?.kind === "edit") {
    const cut = detail.old.truncated || detail.new.truncated;
    return (
      <>
        <p className={styles.path}>{detail.path}{detail.all ? " · every occurrence" : ""}</p>
        <div className={styles.diff}><Diff before={detail.old.text} after={detail.new.text} /></div>
        {cut && <p className={styles.hint}>Only the beginning of the change. The whole is in its arguments.</p>}
        {cut && input && <Whole text="" truncated={ref(input, row.inputSeq, "input")}>{(text) => (text ? <CodeBlock code={text} language="json" /> : null)}</Whole>}
      </>
    );
  }
  if (detail?.kind === "write") {
    return (
      <>
        <p className={styles.path}>{detail.path}</p>
        <Whole text={detail.content.text} truncated={ref(detail.content, row.inputSeq, "content")}>
          {(text) => <CodeBlock code={text} language={languageOf(detail.path)} />}
        </Whole>
      </>
    );
  }
  if (!input || input.text.trim() === "" || input.text.trim() === "{}") return null;
  return (
    <Whole text={input.text} truncated={ref(input, row.inputSeq, "input")}>
      {(text) => <CodeBlock code={pretty(text)} language="json" />}
    </Whole>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text; // cut or not JSON: as it is
  }
}

/** The beginning of a long output, cut at a line. */
export function beginning(text: string): string {
  let at = -1;
  for (let i = 0; i < MAX_LINES_SHOWN; i += 1) {
    const next = text.indexOf("\n", at + 1);
    if (next < 0) return text.slice(0, MAX_CHARS_SHOWN);
    at = next;
  }
  return text.slice(0, Math.min(at, MAX_CHARS_SHOWN));
}

function Output({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  const start = beginning(text);
  const long = start.length < text.trimEnd().length;
  return (
    <div className={styles.output}>
      <div className={styles.outputTools}><CopyButton text={text} label="Copy output" look="icon" /></div>
      <div className={styles.outputText} tabIndex={0} role="group" aria-label="Output" data-all={all || undefined}>
        <Ansi text={all ? text : start} />
      </div>
      {long && (
        <button type="button" className={styles.fold} onClick={() => setAll(!all)}>
          {all ? "Show less" : `Show all ${text.trimEnd().split("\n").length.toLocaleString("en")} lines`}
        </button>
      )}
    </div>
  );
}

export function ToolBody({ row }: { row: ToolRow }) {
  const { output } = row;
  const nothing = row.state === "succeeded" && (!output || output.text.trim() === "") && row.stream === "";
  return (
    <div className={styles.toolBody}>
      <p className={styles.native}>
        {row.name}
        {row.unasked === true && " · ran without asking"}
        {row.unasked === false && !row.grant && " · you were asked"}
        {row.grant && ` · allowed by your grant: ${row.grant}`}
      </p>
      <Input row={row} />
      {row.error && <p className={styles.error}>{row.error}</p>}
      {output && output.text.trim() !== "" && (
        <Whole text={output.text} truncated={ref(output, row.outputSeq, "output")}>{(text) => <Output text={text} />}</Whole>
      )}
      {!output && row.stream !== "" && <Output text={row.stream} />}
      {nothing && <p className={styles.hint}>No output.</p>}
    </div>
  );
}
