// A folder that brings hooks and servers, in the scripted host.
import type { FolderTrustState, FolderTrustView } from "../bindings";

let state: FolderTrustState = "without";

const view = (harness: string, folder: string): FolderTrustView => ({
  harness,
  folder,
  state: folder.endsWith("/srv/www") ? state : "nothing",
  digest: "d1",
  complete: true,
  items: [
    { kind: "hook", name: "SessionStart", detail: "./scripts/prepare.sh --quiet", file: `${folder}/.claude/settings.json` },
    { kind: "hook", name: "PostToolUse", detail: "npx prettier --write \u202e.", file: `${folder}/.claude/settings.json` },
    { kind: "mcp_server", name: "issues", detail: "npx -y @example/issues-mcp", file: `${folder}/.mcp.json` },
    { kind: "environment", name: "NODE_OPTIONS", detail: null, file: `${folder}/.claude/settings.json` },
    { kind: "allow_rule", name: "allow", detail: "Bash(npm run *)", file: `${folder}/.claude/settings.json` },
  ],
});

export const trust = {
  folderTrust: (harness: string, folder: string) => Promise.resolve(view(harness, folder)),
  trustFolder: () => {
    state = "trusted";
    return Promise.resolve(null);
  },
  distrustFolder: () => {
    state = "without";
    return Promise.resolve(null);
  },
  trustedFolders: () => Promise.resolve([]),
};
