import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { type StandingContext, hostError, host } from "../../host";
import { Button } from "../../kit/Button";
import { Notice } from "../../kit/Notice";
import { Section, Skeleton } from "../../kit/Page";
import { troubleOf } from "../../state/queries";
import { StandingView, type StandingViewProps } from "./StandingView";
import { type ContextDraft, contextOf, differs, draftOf } from "./standing";

/** Pause in typing after which the host is asked what is wrong (ms). */
const CHECK_AFTER_MS = 250;
const KEY = ["standing-context"];

/** The draft as the host checks it: after a pause, not at every key. */
function useChecked(draft: ContextDraft | null) {
  const [asked, setAsked] = useState<StandingContext | null>(null);
  useEffect(() => {
    if (draft === null) return setAsked(null);
    const timer = setTimeout(() => setAsked(contextOf(draft)), CHECK_AFTER_MS);
    return () => clearTimeout(timer);
  }, [draft]);
  return useQuery({
    queryKey: ["standing-check", asked],
    queryFn: () => host.checkStandingContext(asked ?? {}),
    enabled: asked !== null,
    placeholderData: (before) => before,
    gcTime: 0,
  });
}

/** Standing instructions and MCP servers on the real host. */
export function Standing() {
  const client = useQueryClient();
  const stored = useQuery({ queryKey: KEY, queryFn: host.standingContext });
  const [draft, setDraft] = useState<ContextDraft | null>(null);
  const [outcome, setOutcome] = useState<StandingViewProps["outcome"]>(null);
  const checked = useChecked(draft);
  const save = useMutation({
    mutationFn: (next: ContextDraft) => host.saveStandingContext(contextOf(next)),
    onSuccess: async (found) => {
      if (found.problems.length > 0) return setOutcome({ ok: false, message: "Not saved: something above is not right yet." });
      await client.invalidateQueries({ queryKey: KEY });
      setDraft(null);
      setOutcome({ ok: true });
    },
    onError: (cause) => {
      const { message, nextStep } = hostError(cause);
      setOutcome({ ok: false, message: `Not saved: ${message} ${nextStep}` });
    },
  });
  const { data } = stored;
  const asStored = useMemo(() => (data ? draftOf(data.context) : null), [data]);
  if (!data || !asStored) {
    const trouble = troubleOf(stored.error);
    return (
      <Section title="Instructions and MCP servers">
        {trouble ? <Notice tone="error" title={trouble.title} details={trouble.details} actions={<Button size="sm" onClick={() => void stored.refetch()}>Try again</Button>}>{trouble.text}</Notice> : <Skeleton lines={4} label="Loading instructions and servers" />}
      </Section>
    );
  }
  return (
    <StandingView
      draft={draft ?? asStored}
      check={draft === null ? data.check : (checked.data ?? data.check)}
      harnesses={data.harnesses}
      changed={draft !== null && differs(draft, data.context)}
      saving={save.isPending}
      outcome={checked.error ? { ok: false, message: `Not checked: ${checked.error.message}` } : outcome}
      onChange={(next) => {
        setOutcome(null);
        setDraft(next);
      }}
      onSave={() => draft && save.mutate(draft)}
      onDiscard={() => {
        setOutcome(null);
        setDraft(null);
      }}
    />
  );
}
