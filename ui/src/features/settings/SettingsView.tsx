import { Monitor, Moon, Sun } from "lucide-react";
import type { ReactNode } from "react";
import type { Boot, Endpoint, HarnessCard, Settings } from "../../host";
import { Button } from "../../kit/Button";
import { CopyButton } from "../../kit/CopyButton";
import { Kbd } from "../../kit/Kbd";
import { Notice } from "../../kit/Notice";
import { Card, Facts, Mono, Page, Section, Skeleton } from "../../kit/Page";
import { Segments, Switch } from "../../kit/Switch";
import { LimitField } from "./LimitField";
import styles from "./Settings.module.css";

export type Theme = "system" | "light" | "dark";
export type Trouble = { title: string; text: string; details?: string | undefined } | null;

/** What the host takes: turns at once, hours that a decision waits, minutes of a turn. */
export const LIMITS = { permits: { least: 1, most: 64 }, decisionHours: { least: 1, most: 168 }, turnMinutes: { least: 1, most: 1_440 } } as const;

export interface SettingsViewProps {
  boot: Boot | null;
  settings: Settings | null;
  harnesses: HarnessCard[];
  keys: ReadonlyArray<{ keys: string; does: string }>;
  theme: Theme;
  error: Trouble;
  bundle: { at: "idle" } | { at: "writing" } | { at: "written"; path: string };
  onTheme: (theme: Theme) => void;
  onChange: (settings: Settings) => void;
  onBundle: () => void;
  onRetry: () => void;
  /** What every turn starts with beside its prompt. */
  standing: ReactNode;
  /** How long the last turns took to start. */
  starts: ReactNode;
}

const ENDPOINTS: Array<{ value: Endpoint; label: string }> = [
  { value: "account", label: "Account" },
  { value: "practice", label: "Practice" },
  { value: "environment", label: "Environment" },
];

export function SettingsView(props: SettingsViewProps) {
  const { settings, error, onRetry } = props;
  return (
    <Page title="Settings">
      {error ? <Notice tone="error" live title={error.title} details={error.details} actions={<Button size="sm" onClick={onRetry}>Try again</Button>}>{error.text}</Notice> : null}
      <Appearance {...props} />
      {settings ? (
        <>
          <Chats {...props} settings={settings} />
          <Notifications {...props} settings={settings} />
        </>
      ) : error ? null : (
        <Skeleton lines={8} label="Loading settings" />
      )}
      {props.standing}
      <Keys keys={props.keys} />
      <Sends harnesses={props.harnesses} />
      <Data {...props} />
    </Page>
  );
}

function Appearance({ theme, onTheme }: SettingsViewProps) {
  return (
    <Section title="Appearance">
      <Card className={styles.card}>
        <div className={styles.row}>
          <span className={styles.name}>Light or dark</span>
          <Segments
            label="Light or dark"
            value={theme}
            options={[
              { value: "system", label: "As the system", icon: <Monitor aria-hidden="true" /> },
              { value: "light", label: "Light", icon: <Sun aria-hidden="true" /> },
              { value: "dark", label: "Dark", icon: <Moon aria-hidden="true" /> },
            ]}
            onChange={onTheme}
          />
        </div>
      </Card>
    </Section>
  );
}

function Chats({ settings, onChange }: SettingsViewProps & { settings: Settings }) {
  return (
    <Section title="Chats and limits" intro="They hold from the next turn on.">
      <Card className={styles.card}>
        <div className={styles.row}>
          <span className={styles.text}>
            <span className={styles.name}>Endpoint of new chats</span>
            <span className={styles.hint}>Practice is the real harness on a built-in model with scripted answers.</span>
          </span>
          <Segments label="Endpoint of new chats" value={settings.endpoint} options={ENDPOINTS} onChange={(endpoint) => onChange({ ...settings, endpoint })} />
        </div>
        <LimitField label="Turns at once" hint="More wait for a slot. A turn that waits for you lends its slot." unit="turns" value={settings.permits} {...LIMITS.permits} onChange={(permits) => onChange({ ...settings, permits: permits ?? settings.permits })} />
        <LimitField label="A decision waits" hint="Then the agent hears that nobody answered, and goes on without it." unit="hours" value={settings.decision_hours} {...LIMITS.decisionHours} onChange={(hours) => onChange({ ...settings, decision_hours: hours ?? settings.decision_hours })} />
        <LimitField label="A turn ends after" hint="Time with an open decision does not count. Empty: never." unit="minutes" optional value={settings.turn_minutes} {...LIMITS.turnMinutes} onChange={(turn_minutes) => onChange({ ...settings, turn_minutes })} />
      </Card>
    </Section>
  );
}

function Notifications({ settings, onChange }: SettingsViewProps & { settings: Settings }) {
  return (
    <Section title="Notifications" intro="Nothing can be allowed from a notification; a click opens the card.">
      <Card className={styles.card}>
        <Switch label="A chat needs you" checked={settings.notify_needs_you} onChange={(on) => onChange({ ...settings, notify_needs_you: on })} />
        <Switch label="A turn failed" checked={settings.notify_failed} onChange={(on) => onChange({ ...settings, notify_failed: on })} />
        <Switch label="A turn of more than a minute finished" checked={settings.notify_finished} onChange={(on) => onChange({ ...settings, notify_finished: on })} />
        <Switch label="Show details" hint="Titles and commands, also on a locked screen." checked={settings.notify_details} onChange={(on) => onChange({ ...settings, notify_details: on })} />
      </Card>
    </Section>
  );
}

function Keys({ keys }: Pick<SettingsViewProps, "keys">) {
  return (
    <Section title="Keys">
      <Card className={styles.card}>
        <dl className={styles.keys}>
          {keys.map(({ keys: combination, does }) => (
            <div key={combination} className={styles.key}>
              <dt>{does}</dt>
              <dd><Kbd>{combination}</Kbd></dd>
            </div>
          ))}
        </dl>
      </Card>
    </Section>
  );
}

function Sends({ harnesses }: Pick<SettingsViewProps, "harnesses">) {
  return (
    <Section title="What is sent">
      <Card className={styles.card}>
        <Facts
          items={[
            { name: "Paddock", value: "Nothing. No statistics, no error reports, no account." },
            ...harnesses.map(({ name, vendor }) => ({
              name,
              value: `Your prompts and what it reads go to the model's endpoint. It may send statistics and error reports to ${vendor}; its own settings switch them off.`,
            })),
            { name: "Practice chats", value: "Nothing leaves this computer." },
          ]}
        />
      </Card>
    </Section>
  );
}

function Data({ boot, bundle, starts, onBundle }: SettingsViewProps) {
  return (
    <Section title="Data and diagnostics">
      <Card className={styles.card}>
        <div className={styles.row}>
          <span className={styles.text}>
            <span className={styles.name}>Data folder</span>
            <span className={styles.hint}>{boot ? <Mono>{boot.data_dir}</Mono> : "Not known yet"}</span>
          </span>
          {boot ? <CopyButton text={boot.data_dir} label="Copy path" look="plain" /> : null}
        </div>
        <div className={styles.row}>
          <span className={styles.text}>
            <span className={styles.name}>Diagnostics</span>
            <span className={styles.hint} role="status">
              {bundle.at === "written" ? <>Written to <Mono>{bundle.path}</Mono></> : "A file with versions, states and logs. Prompts, answers and secrets are left out; read it before you pass it on."}
            </span>
          </span>
          {bundle.at === "written" ? <CopyButton text={bundle.path} label="Copy path" look="plain" /> : null}
          <Button busy={bundle.at === "writing"} onClick={onBundle}>{bundle.at === "writing" ? "Writing" : "Write a bundle"}</Button>
        </div>
        {starts}
        <div className={styles.row}>
          <span className={styles.name}>Version</span>
          <span className={styles.hint}>{boot ? `Paddock ${boot.version} on ${boot.platform}` : "Not known yet"}</span>
        </div>
      </Card>
    </Section>
  );
}
