// Markdown that a model wrote, made safe: raw HTML is shown as text, pictures are not fetched, links ask first.
// While it streams only the last block is parsed and drawn again.
import type { Element, ElementContent } from "hast";
import { type ComponentType, type ReactNode, memo, useEffect, useMemo, useRef, useState } from "react";
import { type Components, Streamdown, useIsCodeFenceIncomplete } from "streamdown";
import { CodeBlock } from "./Code";
import { spellOutBidi } from "./CodeVisible";
import { RemotePicture, SafeLink } from "./MarkdownLink";
import styles from "./Markdown.module.css";

/** Shortest time between two drawings of a growing text, in milliseconds. */
const MIN_FLUSH_MS = 32;
/** Longest time between two drawings of a growing text, in milliseconds. */
const MAX_FLUSH_MS = 400;
/** Characters that add a millisecond to that time, so that the whole stays linear in the length. */
const CHARS_PER_FLUSH_MS = 250;
/** Longest text drawn as Markdown; what is longer is shown as plain text. */
export const MAX_MARKDOWN_CHARS = 400_000;

interface Props {
  node?: Element | undefined;
  children?: ReactNode;
}

function textOf(node: ElementContent | undefined): string {
  if (!node) return "";
  if (node.type === "text") return node.value;
  return node.type === "element" ? node.children.map(textOf).join("") : "";
}

function Pre({ node }: Props) {
  const open = useIsCodeFenceIncomplete();
  const code = node?.children.find((child): child is Element => child.type === "element" && child.tagName === "code");
  const names = code?.properties.className;
  const language = Array.isArray(names) ? String(names.find((n) => String(n).startsWith("language-")) ?? "").slice(9) : "";
  return <CodeBlock code={textOf(code).replace(/\n$/, "")} language={language.toLowerCase()} closed={!open} />;
}

function heading(level: number): ComponentType<Props> {
  return function Heading({ children }: Props) {
    return (
      <h2 className={styles.heading} data-level={Math.min(level, 4)}>
        {children}
      </h2>
    );
  };
}

type Tag = "p" | "ul" | "ol" | "li" | "strong" | "em" | "del" | "blockquote" | "thead" | "tbody" | "tr" | "sup" | "section";
function plain(tag: Tag): ComponentType<Props> {
  return function Plain({ node, children }: Props) {
    const Element = tag;
    const task = node?.properties.className;
    return <Element className={Array.isArray(task) && task.length > 0 ? styles[String(task.at(-1))] : undefined}>{children}</Element>;
  };
}

function cell(tag: "th" | "td"): ComponentType<Props & { style?: React.CSSProperties }> {
  return function Cell({ children, style }) {
    const Element = tag;
    return <Element style={style?.textAlign ? { textAlign: style.textAlign } : undefined}>{children}</Element>;
  };
}

const components = {
  pre: Pre,
  code: ({ children }: Props) => <code className={styles.code}>{children}</code>,
  inlineCode: ({ children }: Props) => <code className={styles.code}>{children}</code>,
  a: ({ children, ...rest }: Props & { href?: string }) => <SafeLink href={rest.href}>{children}</SafeLink>,
  img: ({ src, alt }: Props & { src?: string; alt?: string }) => <RemotePicture src={src} alt={alt} />,
  table: ({ children }: Props) => (
    <div className={styles.tableFrame} tabIndex={0} role="group" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
  hr: () => <hr />,
  br: () => <br />,
  input: ({ checked }: Props & { checked?: boolean }) => (
    <span className={styles.check} role="img" aria-label={checked ? "done" : "open"} data-checked={checked || undefined} />
  ),
  h1: heading(1), h2: heading(2), h3: heading(3), h4: heading(4), h5: heading(5), h6: heading(6),
  ol: ({ node, children }: Props) => <ol start={Number(node?.properties.start ?? 1)}>{children}</ol>,
  p: plain("p"), ul: plain("ul"), li: plain("li"), strong: plain("strong"), em: plain("em"), del: plain("del"),
  blockquote: plain("blockquote"), thead: plain("thead"), tbody: plain("tbody"), tr: plain("tr"), sup: plain("sup"), section: plain("section"),
  th: cell("th"), td: cell("td"),
} as unknown as Components;

/** A growing text, handed on at a pace that falls with its length; a finished one at once. */
function usePaced(text: string, streaming: boolean): string {
  const [shown, setShown] = useState(text);
  const last = useRef(0);
  const latest = useRef(text);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    latest.current = text;
    if (!streaming) {
      clearTimeout(timer.current);
      timer.current = undefined;
      return;
    }
    if (timer.current !== undefined) return;
    const pace = Math.min(MAX_FLUSH_MS, MIN_FLUSH_MS + text.length / CHARS_PER_FLUSH_MS);
    timer.current = setTimeout(
      () => {
        timer.current = undefined;
        last.current = performance.now();
        setShown(latest.current);
      },
      Math.max(0, last.current + pace - performance.now()),
    );
  }, [text, streaming]);
  useEffect(() => () => clearTimeout(timer.current), []);
  if (!streaming) return text;
  // A text that was replaced, not grown, is never shown in its old form.
  return text.startsWith(shown) ? shown : text;
}

const NO_PLUGINS: never[] = [];
const same = (url: string) => url;

/** Rendered Markdown. `streaming` is true while the text still grows. */
export const Markdown = memo(function Markdown({ text, streaming = false }: { text: string; streaming?: boolean }) {
  const paced = usePaced(text, streaming);
  const safe = useMemo(() => spellOutBidi(paced), [paced]);
  if (safe.length > MAX_MARKDOWN_CHARS) return <div className={styles.plain}>{safe}</div>;
  return (
    <Streamdown
      className={styles.markdown}
      mode="streaming"
      isAnimating={streaming}
      parseIncompleteMarkdown={streaming}
      components={components}
      rehypePlugins={NO_PLUGINS}
      urlTransform={same}
      controls={false}
      dir="auto"
    >
      {safe}
    </Streamdown>
  );
});
