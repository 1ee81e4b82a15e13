import { useEffect, useRef, useState } from "react";
import { host, hostError, type ChatSummary, type HostError } from "../../host";
import { DropZone, FolderTrust, handOnSchema, useExtras } from "../../prompt";
import { addFiles } from "../../state/attachments";
import { applyOwn } from "../../state/live";
import { dropDraft, keepDraft, readDraft } from "../../state/preference";
import { troubleOf, useFolder, useHarnesses, useSettings } from "../../state/queries";
import { goTo } from "../../state/route";
import { ASK_AFTER_MS } from "./folder";
import { NewChatView, type Draft } from "./NewChatView";

/** Key of the prompt's draft in the host's store. */
const DRAFT_KEY = "new";
/** Key of the other choices, kept by the window. */
const CHOICES = "new-chat";
/** Waiting time after a key before the draft is stored (ms). */
export const SAVE_AFTER_MS = 400;

type Choices = Omit<Draft, "prompt">;
const EMPTY: Choices & { chosen: boolean } = { folder: "", harness: "", model: "", effort: "", mode: { mode: "default" }, endpoint: "account", chosen: false };

export function NewChat({ folder }: { folder?: string | undefined }) {
  const harnesses = useHarnesses();
  const settings = useSettings();
  const [choices, setChoices] = useState(() => ({ ...readDraft(CHOICES, EMPTY), ...(folder ? { folder } : {}) }));
  const [prompt, setPrompt] = usePromptDraft();
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<HostError | null>(null);
  const answer = useFolder(choices.folder, ASK_AFTER_MS);
  const harness = choices.harness || (harnesses.data?.[0]?.id ?? "");
  const card = harnesses.data?.find(({ id }) => id === harness);
  const extras = useExtras(DRAFT_KEY, card);
  const standard = settings.data?.endpoint;
  const endpoint = choices.chosen ? choices.endpoint : (standard ?? choices.endpoint);

  useEffect(() => {
    if (folder) setChoices((before) => ({ ...before, folder }));
  }, [folder]);
  useEffect(() => keepDraft(CHOICES, choices), [choices]);

  const start = async (make: () => Promise<ChatSummary>) => {
    setSending(true);
    setError(null);
    try {
      const chat = await make();
      applyOwn({ item: "chat", summary: chat });
      goTo({ room: "chat", chatId: chat.id });
      return chat;
    } catch (cause) {
      setError(hostError(cause));
      setSending(false);
      return null;
    }
  };
  const send = async () => {
    const { model, effort, mode } = choices;
    const { attachments, schema, giveBack, gone } = extras.take();
    const started = await start(() => host.createChat({ folder: choices.folder.trim(), harness, model: model.trim() || null, effort: effort || null, mode, endpoint, prompt, attachments, schema }));
    if (!started) return giveBack();
    gone();
    handOnSchema(schema, started.id);
    dropDraft(CHOICES);
    await host.saveDraft(DRAFT_KEY, "").catch((cause: unknown) => console.error("draft not cleared", cause));
  };

  return (
    <DropZone label="Drop to attach to the first prompt" onFiles={(files) => addFiles(DRAFT_KEY, files)}>
      <NewChatView
        draft={{ ...choices, prompt, harness, endpoint }}
        folder={answer}
        harnesses={harnesses.data ?? (harnesses.error ? [] : null)}
        sending={sending}
        trust={answer.answer?.exact && card ? <FolderTrust harness={card.id} name={card.name} folder={choices.folder.trim()} /> : null}
        extras={extras}
        error={troubleOf(error ?? harnesses.error)}
        onChange={({ prompt: text, ...change }) => {
          if (text !== undefined) setPrompt(text);
          if (Object.keys(change).length) setChoices((before) => ({ ...before, ...change, chosen: before.chosen || change.endpoint !== undefined }));
        }}
        onSend={() => void send()}
        onPractice={() => void start(host.startPractice)}
      />
    </DropZone>
  );
}

/** The prompt, kept by the host over restarts. What was typed meanwhile is never replaced by what was kept. */
function usePromptDraft(): [string, (text: string) => void] {
  const [prompt, setPrompt] = useState("");
  const touched = useRef(false);
  useEffect(() => {
    host.draft(DRAFT_KEY).then(
      (kept) => (touched.current ? undefined : setPrompt(kept)),
      (cause: unknown) => console.error("draft not read", cause),
    );
  }, []);
  useEffect(() => {
    if (!touched.current) return;
    const timer = setTimeout(() => {
      host.saveDraft(DRAFT_KEY, prompt).catch((cause: unknown) => console.error("draft not saved", cause));
    }, SAVE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [prompt]);
  const change = (text: string) => {
    touched.current = true;
    setPrompt(text);
  };
  return [prompt, change];
}
