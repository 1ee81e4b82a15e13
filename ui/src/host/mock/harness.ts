import type { HarnessCard, HarnessModel, PermissionModeInfo, TurnCapabilities } from "../contract";
import { minutesAgo } from "./clock";

const MODES: PermissionModeInfo[] = [
  { mode: { mode: "default" }, native: "default", unasked: "Reading files in the folder", asks: "Edits, commands and web requests", refused: "Nothing" },
  { mode: { mode: "accept_edits" }, native: "acceptEdits", unasked: "Reading and editing files in the folder", asks: "Commands and web requests", refused: "Nothing" },
  { mode: { mode: "plan" }, native: "plan", unasked: "Reading files in the folder", asks: "Whether to carry out the plan", refused: "Edits and commands until then" },
  { mode: { mode: "full_access" }, native: "bypassPermissions", unasked: "Everything, on the whole computer", asks: "Nothing", refused: "Nothing" },
];

const CAPABILITIES: TurnCapabilities = {
  native_image_attachments: true, structured_answer: true, assigned_session: true, resume: true, fork: true, interrupt: true, steer: false, set_mode: true,
  set_model: true, compact: true, retained: true, background_tasks: true, untrusted_folders: true, host_tools: false, context_window: true, model: true, effort: true, prompt_off_argv: true, max_turns: true,
  auto_compaction: false,
};

const EFFORTS = [
  { id: "low", label: "Low" },
  { id: "medium", label: "Medium" },
  { id: "high", label: "High" },
];

const MODELS: HarnessModel[] = [
  { id: "default", name: "Default", description: "What the harness recommends", resolves_to: "claude-sonnet-5", is_default: true, efforts: EFFORTS, context_window: 200_000 },
  { id: "sonnet", name: "Sonnet 5", description: "For everyday work", resolves_to: "claude-sonnet-5", is_default: false, efforts: EFFORTS, context_window: 200_000 },
  { id: "opus", name: "Opus 5", description: "For hard problems", resolves_to: "claude-opus-5", is_default: false, efforts: EFFORTS, context_window: 200_000 },
  { id: "haiku", name: "Haiku 5", description: "Quick answers", resolves_to: "claude-haiku-5", is_default: false, efforts: [], context_window: 200_000 },
];

export const CLAUDE: HarnessCard = {
  id: "claude",
  name: "Claude Code",
  vendor: "Anthropic",
  checking_since: null,
  status: "ready",
  summary: "Found and ready.",
  copies: [
    { path: "/home/ada/.local/bin/claude", kind: "native installer", used: true, why: "first on the path of your login shell", problem: null },
    { path: "/home/ada/.nvm/versions/node/v22.11.0/bin/claude", kind: "npm, global", used: false, why: "later on the path", problem: null },
  ],
  looked_in: ["/home/ada/.local/bin", "/home/ada/.nvm/versions/node/v22.11.0/bin", "/usr/local/bin", "/usr/bin"],
  version: "2.1.332",
  standing: "verified",
  verified_version: "2.1.332",
  authentication: { status: "authenticated", method: "claude.ai login", account: "ada@example.org", plan: "Max", reason: null },
  authentication_at: minutesAgo(9),
  account_usage: {
    status: "available",
    usage: {
      provider: "claude",
      plan: "max",
      credits: null,
      windows: [
        { id: "five_hour", label: "5 hours", kind: "session", used_percent: 41, duration_minutes: 300, resets_at: minutesAgo(-95), exhausted: false },
        { id: "seven_day", label: "7 days", kind: "weekly", used_percent: 88, duration_minutes: 10_080, resets_at: minutesAgo(-3 * 1440), exhausted: false },
        { id: "seven_day_opus", label: "7 days, Opus", kind: "weekly", used_percent: null, duration_minutes: 10_080, resets_at: null, exhausted: false },
      ],
    },
  },
  account_usage_at: minutesAgo(4),
  models: MODELS,
  models_error: null,
  modes: MODES,
  capabilities: CAPABILITIES,
  limitations: ["Cannot ask two questions at once.", "Cannot change the folder of a running chat."],
  install: ["npm", "install", "--global", "@anthropic-ai/claude-code"],
  homepage: "https://claude.com/product/claude-code",
};

const UNKNOWN = { version: null, standing: null, authentication: null, authentication_at: null, account_usage: null, account_usage_at: null, models: [], models_error: null } as const;

export const CLAUDE_MISSING: HarnessCard = { ...CLAUDE, ...UNKNOWN, models: [], status: "not_installed", copies: [], summary: "Claude Code was not found on this computer." };

export const CLAUDE_NO_NODE: HarnessCard = {
  ...CLAUDE,
  ...UNKNOWN,
  models: [],
  status: "unavailable",
  summary: "Found, but the Node.js that it needs is missing from the path of your login shell.",
  copies: [{ path: "/home/ada/.npm-global/bin/claude", kind: "npm, global", used: true, why: "the only copy", problem: "/usr/bin/env: ‘node’: No such file or directory" }],
};

export const CLAUDE_SIGNED_OUT: HarnessCard = {
  ...CLAUDE,
  version: "2.3.0",
  standing: "newer",
  models: [],
  models_error: "The harness lists its models only when it is signed in.",
  authentication: { status: "required", method: null, account: null, plan: null, reason: null },
};

export const CLAUDE_PROBING: HarnessCard = { ...CLAUDE, ...UNKNOWN, models: [], status: null, copies: [], looked_in: [], checking_since: minutesAgo(0.1), summary: "" };
