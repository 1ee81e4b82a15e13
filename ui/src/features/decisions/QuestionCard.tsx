// Questions of an agent: one or several choices, free text, or no answer.
import { type KeyboardEvent, type Ref, useState } from "react";
import { VisibleText } from "../../kit/CodeVisible";
import { useIme } from "../../kit/ime";
import type { QuestionPrompt, QuestionRequest } from "../../state/transcript-events";
import { AnswerButton, CardFrame } from "./CardFrame";
import styles from "./Card.module.css";
import type { CardProps } from "./cards";
import { useAnswer } from "./useAnswer";

type Chosen = Record<string, { labels: string[]; text: string }>;
const NOTHING = { labels: [] as string[], text: "" };

function isAnswered(prompt: QuestionPrompt, chosen: Chosen): boolean {
  const own = chosen[prompt.key] ?? NOTHING;
  return own.labels.length > 0 || own.text.trim() !== "";
}

/** The answer as it goes out: labels in the order they were offered, then typed text. */
export function toAnswers(prompts: readonly QuestionPrompt[], chosen: Chosen): Record<string, string[]> {
  return Object.fromEntries(
    prompts.map((prompt) => {
      const own = chosen[prompt.key] ?? NOTHING;
      const labels = prompt.options.map((o) => o.label).filter((label) => own.labels.includes(label));
      const typed = own.text.trim() === "" ? [] : [own.text.trim()];
      return [prompt.key, prompt.multi_select ? [...labels, ...typed] : typed.length > 0 ? typed : labels.slice(0, 1)];
    }),
  );
}

export function QuestionCard(props: CardProps & { request: QuestionRequest; ref?: Ref<HTMLElement> }) {
  const { decision, port, request } = props;
  const { prompts } = request;
  const { busy, failed, send } = useAnswer(decision, port, props.onAnswered);
  const [chosen, setChosen] = useState<Chosen>(() => port.draft(decision).chosen);
  const [active, setActive] = useState(0);
  const open = decision.closed === null;
  const complete = prompts.every((prompt) => isAnswered(prompt, chosen));

  const keep = (next: Chosen) => {
    setChosen(next);
    port.saveDraft(decision, { ...port.draft(decision), chosen: next });
  };
  const choose = (prompt: QuestionPrompt, label: string): Chosen => {
    const own = chosen[prompt.key] ?? NOTHING;
    const has = own.labels.includes(label);
    const labels = prompt.multi_select ? (has ? own.labels.filter((l) => l !== label) : [...own.labels, label]) : [label];
    return { ...chosen, [prompt.key]: { labels, text: prompt.multi_select ? own.text : "" } };
  };
  const answer = (with_: Chosen) =>
    open && !busy && prompts.every((prompt) => isAnswered(prompt, with_)) &&
    send({ kind: "question", answer: { decision: "answered", answer: { answers: toAnswers(prompts, with_) } } });
  const decline = () => open && !busy && send({ kind: "question", answer: { decision: "declined" } });

  const onKey = (key: string): boolean | "taken" => {
    if (key === "d") return decline();
    if (key === "enter") {
      if (complete) return answer(chosen);
      setActive(Math.max(0, prompts.findIndex((prompt) => !isAnswered(prompt, chosen))));
      return "taken";
    }
    const prompt = prompts[active];
    const option = /^[1-9]$/.test(key) ? prompt?.options[Number(key) - 1] : undefined;
    if (!prompt || !option) return false;
    const next = choose(prompt, option.label);
    keep(next);
    // One plain choice is the whole answer; everything else is looked at before it goes.
    if (prompts.length === 1 && !prompt.multi_select) return answer(next);
    if (!prompt.multi_select && active < prompts.length - 1) setActive(active + 1);
    return "taken";
  };

  const title = prompts.length === 1 ? (prompts[0]?.header ?? "The agent asks") : `The agent asks ${prompts.length} things`;
  return (
    <CardFrame {...props} title={title} onKey={onKey} busy={busy} failed={failed}>
      <div className={styles.questions}>
        {prompts.map((prompt, i) => (
          <Prompt
            key={prompt.key}
            prompt={prompt}
            name={`${decision.id}-${prompt.key}`}
            value={chosen[prompt.key] ?? NOTHING}
            active={prompts.length > 1 && i === active}
            header={prompts.length > 1}
            disabled={!open || busy}
            onFocus={() => setActive(i)}
            onChoose={(label) => keep(choose(prompt, label))}
            onType={(text) => {
              const own = chosen[prompt.key] ?? NOTHING;
              keep({ ...chosen, [prompt.key]: { labels: prompt.multi_select || text.trim() === "" ? own.labels : [], text } });
            }}
            onEnter={() => answer(chosen)}
          />
        ))}
      </div>
      {open && (
        <footer className={styles.answers}>
          <div className={styles.buttons}>
            <AnswerButton tone="allow" keyName="Enter" testId="answer-submit" disabled={!complete || busy} onClick={() => answer(chosen)}>
              {prompts.length === 1 ? "Answer" : "Answer all"}
            </AnswerButton>
            <span className={styles.gap} />
            <AnswerButton tone="quiet" keyName="D" testId="decline" disabled={busy} onClick={decline}>Do not answer</AnswerButton>
          </div>
        </footer>
      )}
    </CardFrame>
  );
}

interface PromptProps {
  prompt: QuestionPrompt;
  name: string;
  value: { labels: string[]; text: string };
  active: boolean;
  header: boolean;
  disabled: boolean;
  onFocus: () => void;
  onChoose: (label: string) => void;
  onType: (text: string) => void;
  onEnter: () => void;
}

function Prompt({ prompt, name, value, active, header, disabled, onFocus, onChoose, onType, onEnter }: PromptProps) {
  const ime = useIme();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.repeat || ime.composing(event)) return;
    event.preventDefault();
    onEnter();
  };
  return (
    <fieldset className={styles.question} data-active={active || undefined} disabled={disabled} onFocus={onFocus}>
      <legend className={styles.asked}>
        {header && prompt.header && <span className={styles.header}>{prompt.header}</span>}
        <VisibleText text={prompt.question} />
      </legend>
      {prompt.options.map((option, i) => (
        <label key={option.label} className={styles.option} data-testid="option">
          <input
            type={prompt.multi_select ? "checkbox" : "radio"}
            name={name}
            checked={value.labels.includes(option.label)}
            onChange={() => onChoose(option.label)}
          />
          <span className={styles.optionText}>
            <span className={styles.optionLabel}><VisibleText text={option.label} /></span>
            {option.description && <span className={styles.optionWhat}><VisibleText text={option.description} /></span>}
          </span>
          {i < 9 && <kbd className={styles.key} aria-hidden="true">{i + 1}</kbd>}
        </label>
      ))}
      {(prompt.free_text || prompt.options.length === 0) && (
        <textarea
          className={styles.free}
          aria-label={prompt.options.length > 0 ? "Another answer" : "Answer"}
          placeholder={prompt.options.length > 0 ? "Or in your own words…" : "Your answer…"}
          rows={1}
          value={value.text}
          onChange={(event) => onType(event.target.value)}
          onKeyDown={onKeyDown}
          {...ime.handlers}
        />
      )}
    </fieldset>
  );
}
