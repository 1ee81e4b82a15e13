// The frame of every card: who asks, since when, the keys, and what happens after an answer.
import { CircleHelp, ClipboardList, ShieldQuestion } from "lucide-react";
import { type KeyboardEvent, type ReactNode, type Ref, useId } from "react";
import { VisibleText } from "../../kit/CodeVisible";
import { cx } from "../../kit/cx";
import styles from "./Card.module.css";
import { keyAnswered, keyMayAnswer } from "./guard";
import { type DecisionView, age, closedText, shortPath } from "./model";

const ICONS = { approval: ShieldQuestion, plan: ClipboardList, question: CircleHelp } as const;
const WORDS = { approval: "Approval", plan: "Plan", question: "Question" } as const;

export interface CardFrameProps {
  decision: DecisionView;
  title: string;
  now: number;
  /** Shown before the title: the chat, where cards of several chats stand together. */
  showChat: boolean;
  /** What a key does: it answered, it did something else, or it is not ours. Only while the card itself has the focus. */
  onKey: (key: string) => boolean | "taken";
  /** Esc: back, without an answer. */
  onLeave: () => void;
  busy: boolean;
  failed: string | null;
  /** Beside the title: the navigator of the dock. */
  aside?: ReactNode;
  onOpenChat?: (() => void) | undefined;
  ref?: Ref<HTMLElement>;
  children: ReactNode;
}

export function CardFrame(props: CardFrameProps) {
  const { decision, title, now, showChat, onKey, busy, failed } = props;
  const titleId = useId();
  const Icon = ICONS[decision.ask.kind];
  const open = decision.closed === null;

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === "Escape" && !event.defaultPrevented) {
      event.preventDefault();
      props.onLeave();
      return;
    }
    // Only the card itself: not its fields, not its buttons, which have keys of their own.
    if (event.target !== event.currentTarget || !open || busy) return;
    if (event.nativeEvent.isComposing || event.keyCode === 229 || !keyMayAnswer(event)) return;
    const done = onKey(event.key.toLowerCase());
    if (done) event.preventDefault();
    if (done === true) keyAnswered();
  };

  return (
    <article
      ref={props.ref}
      className={styles.card}
      data-testid="decision-card"
      data-decision={decision.id}
      data-decision-id={decision.id}
      data-kind={decision.ask.kind}
      data-closed={decision.closed ?? undefined}
      data-blocking={decision.blocking || undefined}
      tabIndex={0}
      aria-labelledby={titleId}
      aria-busy={busy || undefined}
      onKeyDown={onKeyDown}
    >
      <header className={styles.head}>
        <span className={styles.glyph} data-glyph><Icon aria-hidden="true" /></span>
        <div className={styles.headings}>
          <h2 className={styles.title} id={titleId}>
            <span className="visually-hidden">{WORDS[decision.ask.kind]}: </span>
            <VisibleText text={title} />
          </h2>
          <p className={styles.origin}>
            {showChat && (
              <>
                {props.onOpenChat ? (
                  <button type="button" className={styles.chatLink} onClick={props.onOpenChat}>{decision.chatTitle}</button>
                ) : (
                  <span>{decision.chatTitle}</span>
                )}
                <span aria-hidden="true"> · </span>
              </>
            )}
            <span className={styles.folder} title={decision.folder}><VisibleText text={shortPath(decision.folder)} /></span>
            <span aria-hidden="true"> · </span>
            <time dateTime={new Date(decision.openedAt).toISOString()} title={new Date(decision.openedAt).toLocaleString()}>
              {age(decision.openedAt, now)}
            </time>
            {!decision.blocking && <span> · does not hold the turn up</span>}
          </p>
        </div>
        {props.aside && <div className={styles.aside}>{props.aside}</div>}
      </header>
      {props.children}
      {failed && open && (
        <p className={styles.failed} role="alert">
          The answer was not delivered: {failed}. The step still waits; answer again.
        </p>
      )}
      {decision.closed && <p className={styles.closed}>{closedText(decision)}.</p>}
    </article>
  );
}

/** A button that answers. */
export function AnswerButton({
  tone = "plain",
  keyName,
  children,
  disabled = false,
  onClick,
  describedBy,
  testId,
}: {
  tone?: "allow" | "plain" | "deny" | "quiet";
  keyName?: string;
  children: ReactNode;
  disabled?: boolean;
  onClick: () => void;
  describedBy?: string | undefined;
  testId?: string;
}) {
  return (
    <button
      type="button"
      className={cx(styles.answer, styles[tone])}
      data-testid={testId}
      disabled={disabled}
      aria-keyshortcuts={keyName}
      aria-describedby={describedBy}
      onClick={onClick}
    >
      <span>{children}</span>
      {keyName && <kbd className={styles.key} aria-hidden="true">{keyName}</kbd>}
    </button>
  );
}
