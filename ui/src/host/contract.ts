// The words between the window and the host. The types are generated from the host's own; times are milliseconds since 1970.
import type {
  Batch,
  Boot,
  ChatSummary,
  ChatView,
  Decision,
  DecisionAnswer,
  EventPage,
  FolderSuggestion,
  FolderSuggestions,
  GrantView,
  HarnessCard,
  HostError,
  Living,
  NewChat,
  PermissionMode,
  SearchHit,
  SendOutcome,
  Settings as StoredSettings,
  StoredEvent,
  Subscription,
  Workspace,
} from "./bindings";

export type * from "./bindings";

/** An error as it crosses the bridge; `error.ts` makes an exception of it. */
export type CommandError = HostError;

export type Result<T> = { status: "ok"; data: T } | { status: "error"; error: CommandError };

/** The host fills in what an older file lacks, so all of it is there. */
export type Settings = Required<StoredSettings>;

export type ChatPage = { chats: ChatSummary[]; next: string | null };

type Answer<T> = Promise<Result<T>>;

export interface Commands {
  boot(): Answer<Boot>;
  acknowledge(subscription: number, batch: number): Answer<null>;
  listWorkspaces(): Answer<Workspace[]>;
  removeWorkspace(id: string): Answer<null>;
  listChats(cursor: string | null, limit: number): Answer<ChatPage>;
  openChat(chat: string): Answer<ChatView>;
  eventsBefore(chat: string, before: number, limit: number): Answer<EventPage>;
  eventsAfter(chat: string, after: number, limit: number): Answer<EventPage>;
  event(chat: string, seq: number): Answer<StoredEvent>;
  createChat(chat: NewChat): Answer<ChatSummary>;
  startPractice(): Answer<ChatSummary>;
  sendPrompt(chat: string, text: string): Answer<SendOutcome>;
  editQueued(id: string, text: string): Answer<null>;
  removeQueued(id: string): Answer<null>;
  resumeQueue(chat: string): Answer<null>;
  stopTurn(chat: string): Answer<null>;
  killTurn(chat: string): Answer<null>;
  setMode(chat: string, mode: PermissionMode): Answer<null>;
  setModel(chat: string, model: string | null): Answer<null>;
  setEffort(chat: string, effort: string | null): Answer<null>;
  renameChat(chat: string, title: string): Answer<null>;
  archiveChat(chat: string, archived: boolean): Answer<null>;
  deleteChat(chat: string): Answer<null>;
  saveDraft(key: string, text: string): Answer<null>;
  draft(key: string): Answer<string>;
  markRead(chat: string, seq: number): Answer<null>;
  searchChat(chat: string, query: string, limit: number): Answer<SearchHit[]>;
  decisions(): Answer<Decision[]>;
  decision(id: string): Answer<Decision>;
  decide(id: string, answer: DecisionAnswer): Answer<Decision>;
  denyReasons(): Answer<string[]>;
  listGrants(workspace: string | null): Answer<GrantView[]>;
  revokeGrant(id: string): Answer<null>;
  suggestFolders(input: string, limit: number): Answer<FolderSuggestions>;
  recentFolders(): Answer<FolderSuggestion[]>;
  harnesses(): Answer<HarnessCard[]>;
  checkHarness(id: string): Answer<HarnessCard>;
  settings(): Answer<Settings>;
  saveSettings(settings: Settings): Answer<null>;
  living(): Answer<Living>;
  quit(force: boolean): Answer<null>;
  diagnosticsBundle(): Answer<string>;
  openLink(url: string): Answer<null>;
}

/** The side of the window that `src/host` stands on: real or scripted. */
export interface Bridge {
  commands: Commands;
  /** Opens the one channel of this window; the host ends the one before. */
  subscribe(subscription: Subscription, onBatch: (batch: Batch) => void): Answer<number>;
  setTheme(theme: "light" | "dark" | null): Promise<void>;
}
