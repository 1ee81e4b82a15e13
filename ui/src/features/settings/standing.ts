// The standing context while it is edited: arguments as lines of text, and what is wrong at which field.
import type { ContextCheck, ContextField, NamedValue, ServerReach, StandingContext, StandingServer } from "../../host";

/** A server under edit keeps both ways to reach it, so that a change of mind loses nothing. */
export interface ServerDraft {
  /** Stable while the page is open. */
  key: number;
  name: string;
  by: ServerReach["by"];
  command: string;
  /** One argument a line. */
  args: string;
  variables: NamedValue[];
  url: string;
  headers: NamedValue[];
}

export interface ContextDraft {
  instructions: string;
  servers: ServerDraft[];
  onlyThese: boolean;
}

let lastKey = 0;

/** A server with nothing in it. */
export function emptyServer(): ServerDraft {
  lastKey += 1;
  return { key: lastKey, name: "", by: "stdio", command: "", args: "", variables: [], url: "", headers: [] };
}

export function draftOf(context: StandingContext): ContextDraft {
  return {
    instructions: context.instructions ?? "",
    onlyThese: context.only_these ?? false,
    servers: (context.servers ?? []).map(({ name, reach }) => {
      const empty = { ...emptyServer(), name, by: reach.by };
      return reach.by === "stdio"
        ? { ...empty, command: reach.command, args: reach.args.join("\n"), variables: reach.variables }
        : { ...empty, url: reach.url, headers: reach.headers };
    }),
  };
}

/** Lines to arguments. An empty line at the end is none; one between others is an empty argument. */
export function argsOf(text: string): string[] {
  const lines = text.replace(/\n+$/, "");
  return lines === "" ? [] : lines.split("\n");
}

function serverOf(draft: ServerDraft): StandingServer {
  const reach: ServerReach =
    draft.by === "stdio" ? { by: "stdio", command: draft.command, args: argsOf(draft.args), variables: draft.variables } : { by: "http", url: draft.url, headers: draft.headers };
  return { name: draft.name, reach };
}

export function contextOf(draft: ContextDraft): Required<StandingContext> {
  return { instructions: draft.instructions, only_these: draft.onlyThese, servers: draft.servers.map(serverOf) };
}

/** Whether the draft would store something else. */
export function differs(draft: ContextDraft, stored: StandingContext): boolean {
  return JSON.stringify(contextOf(draft)) !== JSON.stringify(contextOf(draftOf(stored)));
}

/** What is wrong at a field, if anything. */
export function problemAt(check: ContextCheck | null, server: number | null, field: ContextField): string | undefined {
  return check?.problems.find((problem) => problem.server === server && problem.field === field)?.message;
}

/** Variables of a server that are not set where Paddock runs. */
export function missingAt(check: ContextCheck | null, server: number): string[] {
  const names = check?.missing.filter((each) => each.server === server).map(({ variable }) => variable) ?? [];
  return [...new Set(names)];
}
