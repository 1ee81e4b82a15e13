// Markdown that a model wrote, made safe: raw HTML is shown as text, pictures are not fetched, links ask first.
// While it streams only the last piece is parsed and drawn again, and a piece is never long.
import type { Element, ElementContent } from "hast";
import { type ComponentType, type ReactNode, memo, useEffect, useMemo, useRef, useState } from "react";
import { type Components, Streamdown, useIsCodeFenceIncomplete } from "streamdown";
import { CodeBlock } from "./Code";
import { spellOutBidi } from "./CodeVisible";
import { RemotePicture, SafeLink } from "./MarkdownLink";
import { Group, groupsOf } from "./MarkdownGroup";
import { NO_PIECES, type Piece, goesOn, grown, piecesOf } from "./MarkdownPieces";
import styles from "./Markdown.module.css";

/** Shortest and longest time between two drawings of a growing text, in milliseconds. */
const MIN_FLUSH_MS = 40;
const MAX_FLUSH_MS = 500;
/** Drawing takes at most one part in this many of the time; the rest is for the person. */
const FLUSH_SHARE = 4;

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
      <h2 className={styles.heading} data-level={Math.min(level, 4)} dir="auto">
        {children}
      </h2>
    );
  };
}

type Tag = "p" | "ul" | "ol" | "li" | "strong" | "em" | "del" | "blockquote" | "thead" | "tbody" | "tr" | "sup" | "section";
/** Blocks that find their own direction, so that Arabic and English stand right in one text. */
const DIRECTED: ReadonlySet<Tag> = new Set(["p", "ul", "ol", "blockquote"]);

function plain(tag: Tag): ComponentType<Props> {
  const dir = DIRECTED.has(tag) ? "auto" : undefined;
  return function Plain({ node, children }: Props) {
    const Element = tag;
    const task = node?.properties.className;
    return <Element dir={dir} className={Array.isArray(task) && task.length > 0 ? styles[String(task.at(-1))] : undefined}>{children}</Element>;
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
    <div className={styles.tableFrame} tabIndex={0} role="group" aria-label="Table" dir="auto">
      <table>{children}</table>
    </div>
  ),
  hr: () => <hr />,
  br: () => <br />,
  input: ({ checked }: Props & { checked?: boolean }) => (
    <span className={styles.check} role="img" aria-label={checked ? "done" : "open"} data-checked={checked || undefined} />
  ),
  h1: heading(1), h2: heading(2), h3: heading(3), h4: heading(4), h5: heading(5), h6: heading(6),
  ol: ({ node, children }: Props) => <ol dir="auto" start={Number(node?.properties.start ?? 1)}>{children}</ol>,
  p: plain("p"), ul: plain("ul"), li: plain("li"), strong: plain("strong"), em: plain("em"), del: plain("del"),
  blockquote: plain("blockquote"), thead: plain("thead"), tbody: plain("tbody"), tr: plain("tr"), sup: plain("sup"), section: plain("section"),
  th: cell("th"), td: cell("td"),
} as unknown as Components;

/** Tells how long it took until what was just set is on screen, in milliseconds. */
function whenDrawn(tell: (took: number) => void): void {
  const begun = performance.now();
  requestAnimationFrame(() => setTimeout(() => tell(performance.now() - begun), 0));
}

/** A growing text, handed on at a pace that falls with what drawing it takes; a finished one at once. */
function usePaced(text: string, streaming: boolean): string {
  const [shown, setShown] = useState(text);
  const pace = useRef({ next: 0, latest: text, timer: undefined as ReturnType<typeof setTimeout> | undefined });
  useEffect(() => {
    const { current } = pace;
    current.latest = text;
    if (!streaming) {
      clearTimeout(current.timer);
      current.timer = undefined;
      return;
    }
    if (current.timer !== undefined) return;
    const draw = () => {
      current.timer = undefined;
      current.next = performance.now() + MIN_FLUSH_MS;
      setShown(current.latest);
      whenDrawn((took) => {
        current.next = performance.now() + Math.min(MAX_FLUSH_MS, Math.max(MIN_FLUSH_MS, took * (FLUSH_SHARE - 1)));
      });
    };
    current.timer = setTimeout(draw, Math.max(0, current.next - performance.now()));
  }, [text, streaming]);
  useEffect(() => () => clearTimeout(pace.current.timer), []);
  if (!streaming) return text;
  // A text that was replaced, not grown, is never shown in its old form.
  return goesOn(shown, text, true) ? shown : text;
}

/**
 * Groups that a text may begin with drawn in full (about a million characters). A list takes rows away and puts them back
 * while it scrolls: a text that came back as a guess of its height would move the list, which would take it away again.
 */
const MOST_DRAWN_GROUPS = 32;

const NO_PLUGINS: never[] = [];
const same = (url: string) => url;

const Prose = memo(function Prose({ text, open }: { text: string; open: boolean }) {
  const safe = useMemo(() => spellOutBidi(text), [text]);
  return (
    <Streamdown
      className={styles.piece}
      data-piece="prose"
      mode="streaming"
      isAnimating={open}
      parseIncompleteMarkdown={open}
      components={components}
      rehypePlugins={NO_PLUGINS}
      urlTransform={same}
      controls={false}
    >
      {safe}
    </Streamdown>
  );
});

const Fenced = memo(function Fenced({ text, language, open }: { text: string; language: string; open: boolean }) {
  const safe = useMemo(() => spellOutBidi(text), [text]);
  return (
    <div className={styles.piece} data-piece="code">
      <CodeBlock code={safe} language={language} closed={!open} />
    </div>
  );
});

function draw(piece: Piece, at: number): ReactNode {
  if (piece.kind === "code") return <Fenced key={at} text={piece.text} language={piece.language} open={piece.open} />;
  return <Prose key={at} text={piece.text} open={piece.open} />;
}

/** Rendered Markdown. `streaming` is true while the text still grows. */
export const Markdown = memo(function Markdown({ text, streaming = false }: { text: string; streaming?: boolean }) {
  const read = useRef(NO_PIECES);
  const paced = usePaced(text, streaming);
  const groups = useMemo(() => {
    read.current = grown(read.current, paced, streaming);
    return groupsOf(piecesOf(read.current, !streaming));
  }, [paced, streaming]);
  const [before] = useState(groups.length);
  return (
    <div className={styles.markdown}>
      {groups.map((pieces, i) => <Group key={i} pieces={pieces} settled={i < groups.length - 2} later={before > MOST_DRAWN_GROUPS && i < before - 2} draw={draw} />)}
    </div>
  );
});
