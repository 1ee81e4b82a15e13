import { CircleCheck, CircleDashed, CircleHelp } from "lucide-react";
import { useId, type ReactNode } from "react";
import type { HarnessCard as Card_, HarnessModel } from "../../host";
import { Age } from "../../kit/Age";
import { Button } from "../../kit/Button";
import { CopyButton } from "../../kit/CopyButton";
import { cx } from "../../kit/cx";
import { Notice } from "../../kit/Notice";
import { Badge, Card, Facts, Mono } from "../../kit/Page";
import { Quota } from "../../kit/Quota";
import { useNow } from "../../kit/time";
import styles from "./Harnesses.module.css";
import { commandLine, signInSentence, STILL_TRYING_AFTER_MS, verdict, versionSentence } from "./model";

export interface HarnessCardProps {
  card: Card_;
  /** A check asked for in this window is under way since (ms since 1970). */
  asked: number | null;
  failed: string | null;
  onCheck: () => void;
  /** The question for the quota of this window is under way. */
  asksQuota: boolean;
  onQuota: () => void;
  onOpen: (url: string) => void;
}

export function HarnessCard({ card, asked, failed, asksQuota, onCheck, onQuota, onOpen }: HarnessCardProps) {
  const title = useId();
  const { tone, word } = verdict(card);
  const checking = asked ?? card.checking_since;
  const usable = card.status === "ready";
  return (
    <Card>
      <section className={styles.card} aria-labelledby={title}>
        <header className={styles.head}>
          <h2 id={title} className={styles.name}>{card.name}</h2>
          <Badge tone={tone}>{word}</Badge>
          <span className={styles.vendor}>{card.vendor}</span>
        </header>
        {card.status === null && checking !== null ? <Running since={checking}>Looking for copies</Running> : null}
        {failed ? <Notice tone="error" live title="The check failed">{failed}</Notice> : null}
        <Trouble card={card} onOpen={onOpen} checking={checking !== null} onCheck={onCheck} />
        {usable ? (
          <Facts
            items={[
              { name: "Version", value: versionSentence(card) },
              { name: "Sign-in", value: <SignIn card={card} checking={checking} onCheck={onCheck} /> },
              { name: "Quota", value: <QuotaOf card={card} busy={asksQuota} onAsk={onQuota} /> },
              { name: "Models", value: <Models models={card.models} error={card.models_error} /> },
            ]}
          />
        ) : null}
        <Copies card={card} />
        {card.limitations.length && usable ? (
          <details className={styles.more}>
            <summary>{card.limitations.length} {card.limitations.length === 1 ? "thing" : "things"} this harness cannot do</summary>
            <ul className={styles.bullets}>{card.limitations.map((line) => <li key={line}>{line}</li>)}</ul>
          </details>
        ) : null}
      </section>
    </Card>
  );
}

interface TroubleProps {
  card: Card_;
  checking: boolean;
  onCheck: () => void;
  onOpen: (url: string) => void;
}

function Trouble({ card, checking, onCheck, onOpen }: TroubleProps) {
  if (card.status === null || card.status === "ready") return null;
  const missing = card.status === "not_installed";
  const command = commandLine(card.install);
  return (
    <Notice
      tone="error"
      title={card.summary}
      details={card.copies.map(({ path, problem }) => (problem ? `${path}\n${problem}` : "")).filter(Boolean).join("\n\n") || undefined}
      actions={
        <>
          <Button size="sm" busy={checking} onClick={onCheck}>Look again</Button>
          <Button size="sm" tone="ghost" onClick={() => onOpen(card.homepage)}>Open the vendor's page</Button>
        </>
      }
    >
      {missing && command ? (
        <>
          <p>The vendor's command installs it; run it in a terminal, then look again.</p>
          <div className={styles.command}>
            <code>{command}</code>
            <CopyButton text={command} label="Copy command" />
          </div>
        </>
      ) : null}
      {card.looked_in.length ? (
        <>
          <p>Paddock looked in:</p>
          <ul className={styles.paths}>{card.looked_in.map((path) => <li key={path}><Mono>{path}</Mono></li>)}</ul>
        </>
      ) : null}
    </Notice>
  );
}

function Running({ since, children }: { since: number; children: ReactNode }) {
  const now = useNow();
  return (
    <span className={styles.running} role="status">
      <CircleDashed aria-hidden="true" />
      <span>{children}{now - since > STILL_TRYING_AFTER_MS ? ", still trying" : ""}</span>
    </span>
  );
}

function SignIn({ card, checking, onCheck }: { card: Card_; checking: number | null; onCheck: () => void }) {
  const said = card.authentication ? signInSentence(card.authentication) : null;
  return (
    <div className={styles.line}>
      <div className={styles.lineText} role="status">
        {checking !== null ? <Running since={checking}>Checking</Running> : null}
        {checking === null && !said ? <span className={styles.soft}>Not checked yet</span> : null}
        {checking === null && said ? (
          <span className={said.good ? styles.good : styles.bad}>
            {said.good ? <CircleCheck aria-hidden="true" /> : <CircleHelp aria-hidden="true" />}
            <span>
              {said.text}
              {card.authentication_at !== null ? <span className={styles.soft}> · checked <Age since={card.authentication_at} /></span> : null}
            </span>
          </span>
        ) : null}
      </div>
      <Button size="sm" busy={checking !== null} onClick={onCheck}>Check sign-in</Button>
    </div>
  );
}

function QuotaOf({ card, busy, onAsk }: { card: Card_; busy: boolean; onAsk: () => void }) {
  const { account_usage: report, account_usage_at: at } = card;
  return (
    <div className={styles.line}>
      <div className={styles.lineText} role="status">
        {report === null ? <span className={styles.soft}>Not asked yet</span> : null}
        {report?.status === "available" ? <Quota usage={report.usage} /> : null}
        {report?.status === "unavailable" ? <span className={styles.soft}>Not known: {report.reason}</span> : null}
        {report?.status === "unsupported" ? <span className={styles.soft}>This harness cannot be asked.</span> : null}
        {report !== null && at !== null ? <span className={styles.soft}>{report.status === "available" ? "" : " · "}as of <Age since={at} /></span> : null}
      </div>
      {report?.status === "unsupported" ? null : <Button size="sm" busy={busy} onClick={onAsk}>Check quota</Button>}
    </div>
  );
}

function Models({ models, error }: { models: HarnessModel[]; error: string | null }) {
  if (error) return <span className={styles.soft}>{error} Any id can be typed in a new chat.</span>;
  if (models.length === 0) return <span className={styles.soft}>The harness lists none; any id can be typed in a new chat.</span>;
  return (
    <ul className={styles.models}>
      {models.map((model) => (
        <li key={model.id}>
          <span>{model.name}</span>
          <Mono>{model.resolves_to && model.resolves_to !== model.id ? `${model.id} → ${model.resolves_to}` : model.id}</Mono>
          {model.efforts.length ? <span className={styles.soft}>effort {model.efforts.map(({ label }) => label.toLowerCase()).join(", ")}</span> : null}
        </li>
      ))}
    </ul>
  );
}

function Copies({ card }: { card: Card_ }) {
  if (card.copies.length === 0) return null;
  return (
    <div className={styles.copies}>
      <h3 className={styles.subtitle}>{card.copies.length > 1 ? `${card.copies.length} copies found` : "The copy found"}</h3>
      <ul>
        {card.copies.map((copy) => (
          <li key={copy.path} className={cx(styles.copy, copy.used && styles.usedCopy)}>
            <div className={styles.copyText}>
              <span className={styles.copyPath}><Mono>{copy.path}</Mono></span>
              <span className={styles.soft}>{[copy.kind, copy.why].filter(Boolean).join(" · ")}</span>
              {copy.problem ? <span className={styles.problem}>{copy.problem}</span> : null}
            </div>
            <div className={styles.copyActions}>
              {copy.used ? <Badge tone={copy.problem ? "error" : "accent"}>In use</Badge> : null}
              <CopyButton text={copy.path} label="Copy path" />
            </div>
          </li>
        ))}
      </ul>
      {card.looked_in.length && card.status === "ready" ? (
        <details className={styles.more}>
          <summary>Where Paddock looked</summary>
          <ul className={styles.paths}>{card.looked_in.map((path) => <li key={path}><Mono>{path}</Mono></li>)}</ul>
        </details>
      ) : null}
    </div>
  );
}
