// A block of code with its language, a copy button, and colours once it is closed.
import { WrapText } from "lucide-react";
import { memo, useState } from "react";
import { type Coloured, useHighlighted } from "./CodeHighlight";
import styles from "./Code.module.css";
import { CopyButton } from "./CopyButton";

/** Lines of plain code that are one text in the page; when more comes, the ones before stay untouched. */
const LINES_A_PART = 200;

/** Code in parts of whole lines. Each part but the last ends with a line break. */
export function partsOf(code: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let lines = 0;
  for (let end = code.indexOf("\n"); end >= 0; end = code.indexOf("\n", end + 1)) {
    lines += 1;
    if (lines < LINES_A_PART) continue;
    parts.push(code.slice(from, end + 1));
    from = end + 1;
    lines = 0;
  }
  if (from < code.length || parts.length === 0) parts.push(code.slice(from));
  return parts;
}

const Part = memo(function Part({ text }: { text: string }) {
  return <span className={styles.part}>{text}</span>;
});

function Lines({ code, coloured }: { code: string; coloured: Coloured }) {
  const { lines } = coloured;
  if (!lines) return <>{partsOf(code).map((part, i) => <Part key={i} text={part} />)}</>;
  return (
    <>
      {lines.map((line, i) => (
        <span key={i}>
          {line.map(([text, color, style], k) => (
            <span
              key={k}
              style={{ color, fontStyle: style & 1 ? "italic" : undefined, fontWeight: style & 2 ? 600 : undefined }}
            >
              {text}
            </span>
          ))}
          {i < lines.length - 1 ? "\n" : ""}
        </span>
      ))}
    </>
  );
}

/** Code as a block. `closed` is false while it is still being written. */
export const CodeBlock = memo(function CodeBlock({
  code,
  language,
  closed = true,
}: {
  code: string;
  language: string;
  closed?: boolean;
}) {
  const [wrap, setWrap] = useState(false);
  const coloured = useHighlighted(code, language, closed);
  return (
    <figure className={styles.block} data-wrap={wrap || undefined} data-colouring={coloured.waiting || undefined}>
      <figcaption className={styles.bar}>
        <span className={styles.language}>{language || "text"}</span>
        <span className={styles.tools}>
          <button
            type="button"
            className={styles.tool}
            aria-label="Wrap long lines"
            title="Wrap long lines"
            aria-pressed={wrap}
            onClick={() => setWrap(!wrap)}
          >
            <WrapText aria-hidden="true" />
          </button>
          <CopyButton text={code} label="Copy code" look="icon" />
        </span>
      </figcaption>
      <pre className={styles.pre} tabIndex={0} role="group" aria-label={language ? `Code, ${language}` : "Code"} dir="ltr">
        <code>
          <Lines code={code} coloured={coloured} />
        </code>
      </pre>
    </figure>
  );
});
