/** What is asked for rather than pushed: lists and settings, kept by key. */
import { QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { host, type FolderSuggestion, type FolderSuggestions, type FolderTrustView, type HarnessCard, type HostError, type Settings } from "../host";

/** How long an answer of the host counts as fresh (ms). */
export const FRESH_FOR_MS = 30_000;
/** Folders offered at once. */
export const MOST_FOLDERS = 50;

export function queryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { retry: false, staleTime: FRESH_FOR_MS, refetchOnWindowFocus: false, networkMode: "always" },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}

export const useHarnesses = () => useQuery<HarnessCard[], HostError>({ queryKey: ["harnesses"], queryFn: host.harnesses });

export const useGrants = (workspaceId: string) => useQuery({ queryKey: ["grants", workspaceId], queryFn: () => host.listGrants(workspaceId) });

export const useSettings = () => useQuery({ queryKey: ["settings"], queryFn: host.settings });

/** Puts one changed harness into the list. */
export function putHarness(client: QueryClient, changed: HarnessCard): void {
  client.setQueryData<HarnessCard[]>(["harnesses"], (list) => list?.map((each) => (each.id === changed.id ? changed : each)));
}

/** Shows a changed setting at once and takes it back when it could not be saved. */
export function useSaveSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (next: Settings) => host.saveSettings(next),
    onMutate: (next) => {
      const before = client.getQueryData<Settings>(["settings"]);
      client.setQueryData(["settings"], next);
      return before;
    },
    onError: (_cause, _next, before) => client.setQueryData(["settings"], before),
  });
}

export function useRevoke(workspaceId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (grantId: string) => host.revokeGrant(grantId),
    onSettled: () => client.invalidateQueries({ queryKey: ["grants", workspaceId] }),
  });
}

/** What a folder would make a harness run. Looked at anew whenever it is shown: files change. */
export const useFolderTrust = (harness: string, folder: string) =>
  useQuery<FolderTrustView, HostError>({ queryKey: ["trust", harness, folder], queryFn: () => host.folderTrust(harness, folder), staleTime: 0 });

/** Trusts the content of a digest, or takes trust back; the folder of that is the resolved one. */
export function useTrust(harness: string, folder: string) {
  const client = useQueryClient();
  return useMutation<null, HostError, { trust: string } | { distrust: string }>({
    mutationFn: (word) => ("trust" in word ? host.trustFolder(harness, folder, word.trust) : host.distrustFolder(harness, word.distrust)),
    onSettled: () => client.invalidateQueries({ queryKey: ["trust", harness, folder] }),
  });
}

export interface FolderState {
  offers: FolderSuggestion[];
  recent: boolean;
  /** The answer to exactly the typed text; null while it is on its way. */
  answer: FolderSuggestions | null;
  /** The host could not say. */
  trouble: string | null;
}

const NO_FOLDER: FolderState = { offers: [], recent: false, answer: null, trouble: null };

/** The typed folder: what the host offers, and whether it stands. Late answers to earlier keys are dropped. */
export function useFolder(typed: string, afterMs: number): FolderState {
  const [state, setState] = useState<FolderState & { typed: string }>({ ...NO_FOLDER, typed: "" });
  useEffect(() => {
    let current = true;
    const put = (next: Partial<FolderState>) => (current ? setState({ ...NO_FOLDER, ...next, typed }) : undefined);
    const timer = setTimeout(() => {
      const asked =
        typed.trim() === ""
          ? host.recentFolders().then((offers) => put({ offers, recent: true }))
          : host.suggestFolders(typed, MOST_FOLDERS).then((answer) => put({ offers: answer.folders, answer }));
      asked.catch((cause: Error) => put({ trouble: cause.message }));
    }, afterMs);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [typed, afterMs]);
  return state.typed === typed ? state : { ...state, answer: null, trouble: null };
}

/** What a failed call says on a page. */
export function troubleOf(error: HostError | Error | null): { title: string; text: string; details?: string | undefined } | null {
  if (!error) return null;
  const known = error as Partial<HostError>;
  return { title: error.message, text: known.nextStep ?? "Try again.", details: known.details };
}
