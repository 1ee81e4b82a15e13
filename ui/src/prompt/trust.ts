// What a folder would make a harness run, in words.
import type { FolderItem, FolderItemKind, FolderTrustState } from "../host";

const ONE: Record<FolderItemKind, string> = {
  hook: "hook", mcp_server: "MCP server", helper: "helper command", environment: "environment variable", allow_rule: "allow rule", plugin: "plugin",
  extension: "extension", setting: "setting", unreadable: "unreadable file",
};

export const HEADING: Record<FolderItemKind, string> = {
  hook: "Hooks: commands that run at an event",
  mcp_server: "MCP servers: started or connected",
  helper: "Helpers: commands that make keys and headers",
  environment: "Environment variables",
  allow_rule: "Allowed without asking",
  plugin: "Plugins that are switched on",
  extension: "Commands, skills and agents of the folder",
  setting: "Other settings",
  unreadable: "Not readable: what it does is not known",
};

export interface ItemGroup {
  kind: FolderItemKind;
  items: FolderItem[];
}

/** By kind, in the order in which they come. */
export function grouped(items: readonly FolderItem[]): ItemGroup[] {
  const groups: ItemGroup[] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (last?.kind === item.kind) last.items.push(item);
    else groups.push({ kind: item.kind, items: [item] });
  }
  return groups;
}

/** `3 hooks, 1 MCP server`. */
export function counted(items: readonly FolderItem[]): string {
  return grouped(items)
    .map(({ kind, items: of }) => `${of.length} ${ONE[kind]}${of.length === 1 ? "" : "s"}`)
    .join(", ");
}

export function trustSentence(state: FolderTrustState, harness: string, items: readonly FolderItem[]): { tone: "info" | "warn"; title: string; text: string } {
  const things = counted(items);
  switch (state) {
    case "trusted":
      return { tone: "info", title: `You trust what this folder brings: ${things}`, text: `${harness} runs it unasked. Any change takes the trust back.` };
    case "changed":
      return { tone: "warn", title: `What this folder brings has changed: ${things}`, text: "You trusted other content. All of it is left out until you decide anew." };
    case "cannot_leave_out":
      return { tone: "warn", title: `${harness} runs whatever this folder brings`, text: "It cannot be told to leave out hooks, servers and settings of a folder." };
    default:
      return { tone: "info", title: `Left out: ${things}`, text: `This folder would make ${harness} run these unasked. Its instructions for the model are still read.` };
  }
}
