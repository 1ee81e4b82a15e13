// One MCP server: its name, how it is reached, and the values that it gets by name.
import { Plus, Trash2 } from "lucide-react";
import type { ContextCheck, NamedValue } from "../../host";
import { Button, IconButton } from "../../kit/Button";
import { TextArea, TextField } from "../../kit/Field";
import { Segments } from "../../kit/Switch";
import { type ServerDraft, missingAt, problemAt } from "./standing";
import styles from "./Standing.module.css";

const WAYS: Array<{ value: ServerDraft["by"]; label: string }> = [
  { value: "stdio", label: "Program" },
  { value: "http", label: "Address" },
];

export interface ServerFieldsProps {
  server: ServerDraft;
  /** Its place in the list, for what the host says of it. */
  at: number;
  check: ContextCheck | null;
  onChange: (server: ServerDraft) => void;
  onRemove: () => void;
}

export function ServerFields({ server, at, check, onChange, onRemove }: ServerFieldsProps) {
  const name = server.name.trim() === "" ? `Server ${at + 1}` : server.name;
  const put = (changed: Partial<ServerDraft>) => onChange({ ...server, ...changed });
  return (
    <fieldset className={styles.server}>
      <legend className="visually-hidden">{`MCP server ${name}`}</legend>
      <div className={styles.head}>
        <TextField className={styles.grow} label="Name" mono value={server.name} onChange={(value) => put({ name: value })} error={problemAt(check, at, "name")} />
        <Segments label={`How ${name} is reached`} value={server.by} options={WAYS} onChange={(by) => put({ by })} />
        <IconButton label={`Remove ${name}`} onClick={onRemove}><Trash2 /></IconButton>
      </div>
      {server.by === "stdio" ? (
        <>
          <TextField label="Program" mono value={server.command} onChange={(command) => put({ command })} error={problemAt(check, at, "command")} />
          <TextArea label="Arguments, one a line" mono minRows={1} maxRows={8} value={server.args} onChange={(args) => put({ args })} error={problemAt(check, at, "args")} />
          <Values what="Variable" of={name} values={server.variables} at={at} check={check} onChange={(variables) => put({ variables })} />
        </>
      ) : (
        <>
          <TextField label="Address" mono inputMode="url" value={server.url} onChange={(url) => put({ url })} error={problemAt(check, at, "url")} />
          <Values what="Header" of={name} values={server.headers} at={at} check={check} onChange={(headers) => put({ headers })} />
        </>
      )}
    </fieldset>
  );
}

interface ValuesProps {
  what: "Variable" | "Header";
  of: string;
  values: NamedValue[];
  at: number;
  check: ContextCheck | null;
  onChange: (values: NamedValue[]) => void;
}

/** Names only: a value stays where it is, in the environment that Paddock was started with. */
function Values({ what, of, values, at, check, onChange }: ValuesProps) {
  const missing = missingAt(check, at);
  const problem = problemAt(check, at, "values");
  const put = (place: number, changed: Partial<NamedValue>) => onChange(values.map((value, i) => (i === place ? { ...value, ...changed } : value)));
  return (
    <div className={styles.values}>
      {values.map((value, place) => (
        <div key={place} className={styles.value}>
          <TextField className={styles.grow} label={`${what} of ${of}`} mono value={value.name} onChange={(name) => put(place, { name })} />
          <TextField
            className={styles.grow}
            label="From the variable"
            mono
            value={value.from}
            onChange={(from) => put(place, { from })}
            error={missing.includes(value.from) ? "Not set where Paddock was started: a turn leaves this server out and says so." : undefined}
          />
          <IconButton label={`Remove ${value.name || what.toLowerCase()} of ${of}`} onClick={() => onChange(values.filter((_, i) => i !== place))}><Trash2 /></IconButton>
        </div>
      ))}
      {problem && <p className={styles.problem} role="alert">{problem}</p>}
      <div>
        <Button size="sm" icon={<Plus />} onClick={() => onChange([...values, { name: "", from: "" }])}>{what === "Variable" ? "Add a variable" : "Add a header"}</Button>
      </div>
    </div>
  );
}
