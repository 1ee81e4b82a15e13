// The real window. Nothing else in the UI imports @tauri-apps.
import { Channel, invoke } from "@tauri-apps/api/core";
import { getCurrentWindow } from "@tauri-apps/api/window";
import type { Batch, Bridge, CommandError, Commands, Result } from "./contract";

async function call<T>(name: string, args: Record<string, unknown> = {}): Promise<Result<T>> {
  try {
    return { status: "ok", data: await invoke<T>(name, args) };
  } catch (error) {
    if (error instanceof Error) throw error;
    return { status: "error", error: error as CommandError };
  }
}

const commands: Commands = {
  boot: () => call("boot"),
  acknowledge: (subscription, batch) => call("acknowledge", { subscription, batch }),
  listWorkspaces: () => call("list_workspaces"),
  removeWorkspace: (id) => call("remove_workspace", { id }),
  listChats: (cursor, limit) => call("list_chats", { cursor, limit }),
  openChat: (chat) => call("open_chat", { chat }),
  eventsBefore: (chat, before, limit) => call("events_before", { chat, before, limit }),
  eventsAfter: (chat, after, limit) => call("events_after", { chat, after, limit }),
  event: (chat, seq) => call("event", { chat, seq }),
  createChat: (chat) => call("create_chat", { chat }),
  startPractice: () => call("start_practice"),
  sendPrompt: (chat, text) => call("send_prompt", { chat, text }),
  editQueued: (id, text) => call("edit_queued", { id, text }),
  removeQueued: (id) => call("remove_queued", { id }),
  resumeQueue: (chat) => call("resume_queue", { chat }),
  stopTurn: (chat) => call("stop_turn", { chat }),
  killTurn: (chat) => call("kill_turn", { chat }),
  setMode: (chat, mode) => call("set_mode", { chat, mode }),
  setModel: (chat, model) => call("set_model", { chat, model }),
  setEffort: (chat, effort) => call("set_effort", { chat, effort }),
  renameChat: (chat, title) => call("rename_chat", { chat, title }),
  archiveChat: (chat, archived) => call("archive_chat", { chat, archived }),
  deleteChat: (chat) => call("delete_chat", { chat }),
  saveDraft: (key, text) => call("save_draft", { key, text }),
  draft: (key) => call("draft", { key }),
  markRead: (chat, seq) => call("mark_read", { chat, seq }),
  searchChat: (chat, query, limit) => call("search_chat", { chat, query, limit }),
  decisions: () => call("decisions"),
  decision: (id) => call("decision", { id }),
  decide: (id, answer) => call("decide", { id, answer }),
  denyReasons: () => call("deny_reasons"),
  listGrants: (workspace) => call("list_grants", { workspace }),
  revokeGrant: (id) => call("revoke_grant", { id }),
  suggestFolders: (input, limit) => call("suggest_folders", { input, limit }),
  recentFolders: () => call("recent_folders"),
  harnesses: () => call("harnesses"),
  checkHarness: (id) => call("check_harness", { id }),
  settings: () => call("settings"),
  saveSettings: (settings) => call("save_settings", { settings }),
  living: () => call("living"),
  quit: (force) => call("quit", { force }),
  diagnosticsBundle: () => call("diagnostics_bundle"),
  openLink: (url) => call("open_link", { url }),
};

export const bridge: Bridge = {
  commands,
  subscribe: (subscription, onBatch) => {
    const channel = new Channel<Batch>();
    channel.onmessage = onBatch;
    return call("subscribe", { subscription, channel });
  },
  setTheme: (theme) => getCurrentWindow().setTheme(theme),
};
