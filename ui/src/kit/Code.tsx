// A block of code with its language, a copy button, and colours once it is closed.
import { WrapText } from "lucide-react";
import { memo, useState } from "react";
import { useHighlighted } from "./CodeHighlight";
import styles from "./Code.module.css";
import { CopyButton } from "./CopyButton";

function Lines({ code, language, closed }: { code: string; language: string; closed: boolean }) {
  const lines = useHighlighted(code, language, closed);
  if (!lines) return <>{code}</>;
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
  return (
    <figure className={styles.block} data-wrap={wrap || undefined}>
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
          <Lines code={code} language={language} closed={closed} />
        </code>
      </pre>
    </figure>
  );
});
