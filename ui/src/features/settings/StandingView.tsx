// What every turn starts with beside its prompt: standing instructions and MCP servers.
import { Plus } from "lucide-react";
import type { ContextCheck, ContextSupport } from "../../host";
import { Button } from "../../kit/Button";
import { TextArea } from "../../kit/Field";
import { Notice } from "../../kit/Notice";
import { Card, Section } from "../../kit/Page";
import { Switch } from "../../kit/Switch";
import { ServerFields } from "./ServerFields";
import { type ContextDraft, emptyServer, problemAt } from "./standing";
import settings from "./Settings.module.css";
import styles from "./Standing.module.css";

export interface StandingViewProps {
  draft: ContextDraft;
  check: ContextCheck | null;
  harnesses: ContextSupport[];
  /** The draft is not what is stored. */
  changed: boolean;
  saving: boolean;
  /** What became of the last attempt to save. */
  outcome: { ok: true } | { ok: false; message: string } | null;
  onChange: (draft: ContextDraft) => void;
  onSave: () => void;
  onDiscard: () => void;
}

export function StandingView({ draft, check, harnesses, changed, saving, outcome, onChange, onSave, onDiscard }: StandingViewProps) {
  const lacking = harnesses.filter(({ lacks }) => lacks.length > 0);
  const wrong = check !== null && check.problems.length > 0;
  return (
    <Section title="Instructions and MCP servers" intro="They go into every new turn, of practice chats too. A turn that runs keeps what it began with.">
      <Card className={settings.card}>
        {lacking.map(({ harness, name, lacks }) => (
          <p key={harness} className={settings.hint}>{name} leaves out: {lacks.join(", ")}.</p>
        ))}
        <TextArea
          label="Standing instructions"
          hint="Added to the agent's own system text."
          value={draft.instructions}
          onChange={(instructions) => onChange({ ...draft, instructions })}
          error={problemAt(check, null, "instructions")}
        />
        <div className={styles.servers} role="group" aria-label="MCP servers">
          {draft.servers.map((server, at) => (
            <ServerFields
              key={server.key}
              server={server}
              at={at}
              check={check}
              onChange={(next) => onChange({ ...draft, servers: draft.servers.map((each) => (each.key === next.key ? next : each)) })}
              onRemove={() => onChange({ ...draft, servers: draft.servers.filter(({ key }) => key !== server.key) })}
            />
          ))}
          {problemAt(check, null, "servers") && <p className={styles.problem} role="alert">{problemAt(check, null, "servers")}</p>}
          <div>
            <Button icon={<Plus />} onClick={() => onChange({ ...draft, servers: [...draft.servers, emptyServer()] })}>Add an MCP server</Button>
          </div>
        </div>
        <Switch
          label="No other MCP servers than these"
          hint="Those that the harness itself is set up with stay out."
          checked={draft.onlyThese}
          onChange={(onlyThese) => onChange({ ...draft, onlyThese })}
        />
        <Notice tone="info" title="A server runs with your rights in every mode">
          Also in Look only and Plan: a mode rules over what the agent may call of a server, not over what the server does. Values are named here and never stored; the agent&apos;s own
          commands can read the variables too.
        </Notice>
        <div className={styles.save}>
          <span className={settings.hint} role="status">
            {outcome?.ok === false ? outcome.message : changed ? (wrong ? "Not saved: something above is not right yet." : "Not saved yet.") : outcome?.ok ? "Saved. It holds from the next turn on." : ""}
          </span>
          <Button disabled={!changed || saving} onClick={onDiscard}>Discard</Button>
          <Button tone="primary" busy={saving} disabled={!changed || wrong} onClick={onSave}>Save</Button>
        </div>
      </Card>
    </Section>
  );
}
