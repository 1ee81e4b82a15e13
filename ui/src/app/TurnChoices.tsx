import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { host, hostError, type ChatSummary, type Holds, type PermissionMode } from "../host";
import { Button } from "../kit/Button";
import { Menu } from "../kit/Menu";
import { MODE_NAME, modeKey } from "../state/modes";
import { useHarnesses } from "../state/queries";
import styles from "./App.module.css";

/** Mode, model and effort. Folder and endpoint are frozen with the first message. */
export function TurnChoices({ chat }: { chat: ChatSummary }) {
  const card = useHarnesses().data?.find(({ id }) => id === chat.harness);
  const [failed, setFailed] = useState<string | null>(null);
  const [later, setLater] = useState(false);
  const act = (work: Promise<Holds>) => {
    setFailed(null);
    setLater(false);
    work.then(
      (holds) => setLater(holds === "next_turn"),
      (cause: unknown) => setFailed(hostError(cause).message),
    );
  };
  const models = card?.models ?? [];
  const standard = models.find(({ is_default }) => is_default);
  const model = models.find(({ id }) => id === chat.model);
  const efforts = (model ?? standard)?.efforts ?? [];
  const effort = efforts.find(({ id }) => id === chat.effort);
  const setMode = (mode: PermissionMode) => act(host.setMode(chat.id, mode));
  return (
    <span className={styles.tools}>
      <Menu
        align="start"
        trigger={<Choice label="Permissions" value={MODE_NAME[chat.mode.mode]} />}
        entries={(card?.modes ?? []).map((info) => ({
          id: modeKey(info.mode),
          label: `${MODE_NAME[info.mode.mode]}${modeKey(info.mode) === modeKey(chat.mode) ? " ✓" : ""}`,
          hint: `Unasked: ${info.unasked}. Asks: ${info.asks}.`,
          run: () => setMode(info.mode),
        }))}
      />
      <Menu
        align="start"
        trigger={<Choice label="Model" value={model?.name ?? chat.model ?? "Default model"} />}
        entries={[
          { id: "default", label: `Harness default${standard?.resolves_to ? ` (today: ${standard.resolves_to})` : ""}${chat.model === null ? " ✓" : ""}`, run: () => act(host.setModel(chat.id, null)) },
          ...models.filter(({ is_default }) => !is_default).map((each) => ({
            id: each.id,
            label: `${each.name}${each.id === chat.model ? " ✓" : ""}`,
            ...(each.description ? { hint: each.description } : {}),
            run: () => act(host.setModel(chat.id, each.id)),
          })),
        ]}
      />
      {efforts.length ? (
        <Menu
          align="start"
          trigger={<Choice label="Effort" value={effort?.label ?? "Default effort"} />}
          entries={[
            { id: "default", label: `Default${chat.effort === null ? " ✓" : ""}`, run: () => act(host.setEffort(chat.id, null)) },
            ...efforts.map((each) => ({ id: each.id, label: `${each.label}${each.id === chat.effort ? " ✓" : ""}`, run: () => act(host.setEffort(chat.id, each.id)) })),
          ]}
        />
      ) : null}
      {failed ? <span role="alert">{failed}</span> : null}
      {later && chat.waits ? <span role="status" className={styles.later}>From the next turn on</span> : null}
    </span>
  );
}

function Choice({ label, value, ...rest }: { label: string; value: string }) {
  return (
    <Button {...rest} tone="ghost" size="sm" className={styles.choice} aria-label={`${label}: ${value}`}>
      {value} <ChevronDown aria-hidden="true" size={12} />
    </Button>
  );
}
