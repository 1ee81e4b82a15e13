// What a step would do, taken from its arguments. The model's description is never part of it.
import type { ApprovalRequest, ToolDetail } from "../../state/transcript-events";

/** Arguments that are the model's own words about the step. */
const WORDS = new Set(["description"]);

export type Body =
  | { kind: "command"; command: string; background: boolean }
  | { kind: "write"; path: string; content: string }
  | { kind: "edit"; path: string; before: string; after: string; all: boolean }
  | { kind: "arguments" };

export interface Step {
  body: Body;
  /** Every argument that the body does not show, as name and exact text. */
  rest: ReadonlyArray<{ name: string; text: string; long: boolean }>;
  /** The input is no JSON object: it is shown as it is. */
  raw: string | null;
}

function parse(input: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(input);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null; // shown raw
  }
}

/** The top-level text argument that begins with what the detail holds of it. */
function whole(input: Record<string, unknown>, begin: string, taken: Set<string>): string | null {
  for (const [name, value] of Object.entries(input)) {
    if (typeof value === "string" && !taken.has(name) && !WORDS.has(name) && value.startsWith(begin)) {
      taken.add(name);
      return value;
    }
  }
  return null;
}

function exact(input: Record<string, unknown>, text: string, taken: Set<string>): boolean {
  for (const [name, value] of Object.entries(input)) {
    if (value === text && !taken.has(name) && !WORDS.has(name)) {
      taken.add(name);
      return true;
    }
  }
  return false;
}

function bodyOf(detail: ToolDetail, input: Record<string, unknown>, taken: Set<string>): Body {
  if (detail.kind === "command" && exact(input, detail.command, taken)) {
    return { kind: "command", command: detail.command, background: detail.background };
  }
  if (detail.kind === "write" && exact(input, detail.path, taken)) {
    const content = whole(input, detail.content.text, taken);
    if (content !== null) return { kind: "write", path: detail.path, content };
  }
  if (detail.kind === "edit" && exact(input, detail.path, taken)) {
    const names = Object.keys(input);
    // Before and after may begin alike: the native names decide where they are told apart by it.
    const old = names.find((n) => /^old/.test(n) && typeof input[n] === "string" && (input[n] as string).startsWith(detail.old.text));
    const next = names.find((n) => /^new/.test(n) && typeof input[n] === "string" && (input[n] as string).startsWith(detail.new.text));
    if (old && next) {
      taken.add(old);
      taken.add(next);
      return { kind: "edit", path: detail.path, before: input[old] as string, after: input[next] as string, all: detail.all };
    }
  }
  taken.clear();
  return { kind: "arguments" };
}

function show(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** Reads a step out of the whole input. */
export function readStep(request: ApprovalRequest, input: string): Step {
  const parsed = parse(input);
  if (!parsed) {
    const command = request.detail.kind === "command" && input === request.detail.command;
    return command && request.detail.kind === "command"
      ? { body: { kind: "command", command: input, background: request.detail.background }, rest: [], raw: null }
      : { body: { kind: "arguments" }, rest: [], raw: input };
  }
  const taken = new Set<string>();
  const body = bodyOf(request.detail, parsed, taken);
  const rest = Object.entries(parsed)
    .filter(([name]) => !taken.has(name) && !(WORDS.has(name) && parsed[name] === request.description))
    .map(([name, value]) => {
      const text = show(value);
      return { name, text, long: text.length > 80 || text.includes("\n") };
    });
  return { body, rest, raw: null };
}

/** The one line that says what is asked. */
export function headline(request: ApprovalRequest): string {
  const { detail } = request;
  switch (detail.kind) {
    case "command":
      return detail.background ? "Run a command in the background" : "Run a command";
    case "write":
      return "Write a file";
    case "edit":
      return "Change a file";
    case "read":
      return "Read a file";
    case "search":
      return "Search";
    case "fetch":
      return "Fetch from the network";
    case "task":
      return "Start a subagent";
    case "mcp":
      return `Use “${detail.tool}” of the MCP server “${detail.server}”`;
    default:
      return `Use the tool “${request.tool_name}”`;
  }
}
