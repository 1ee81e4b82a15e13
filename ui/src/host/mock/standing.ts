// Standing instructions and MCP servers of the scripted host.
import type { ContextCheck, StandingContext, StandingContextView } from "../contract";

const STORED: Required<StandingContext> = {
  instructions: "Write short commit messages. Never push.",
  only_these: false,
  servers: [
    { name: "herbarium", reach: { by: "stdio", command: "node", args: ["/home/ada/tools/herbarium-mcp.js", "--read-only"], variables: [{ name: "HERBARIUM_KEY", from: "HERBARIUM_KEY" }] } },
    { name: "maps", reach: { by: "http", url: "https://maps.example.org/mcp", headers: [{ name: "Authorization", from: "MAPS_TOKEN" }] } },
  ],
};

/** The scripted environment has one variable. */
const SET = ["HERBARIUM_KEY"];

export function checkStanding(context: StandingContext): ContextCheck {
  const servers = context.servers ?? [];
  return {
    problems: servers.flatMap(({ name, reach }, server): ContextCheck["problems"] => {
      if (!/^[\w-]+$/.test(name)) return [{ server, field: "name", message: "A name has at most 128 letters, digits, hyphens and underscores." }];
      if (reach.by === "stdio" && reach.command.trim() === "") return [{ server, field: "command", message: "A program: its name or its path." }];
      return [];
    }),
    missing: servers.flatMap(({ reach }, server) =>
      (reach.by === "stdio" ? reach.variables : reach.headers).filter(({ from }) => from !== "" && !SET.includes(from)).map(({ from }) => ({ server, variable: from })),
    ),
  };
}

let stored: Required<StandingContext> = STORED;

export function standing(): StandingContextView {
  return { context: stored, check: checkStanding(stored), harnesses: [{ harness: "claude", name: "Claude Code", lacks: ["a change of the instructions in a chat that has begun"] }] };
}

export function saveStanding(context: StandingContext): ContextCheck {
  const found = checkStanding(context);
  if (found.problems.length === 0) stored = { instructions: context.instructions ?? "", servers: context.servers ?? [], only_these: context.only_these ?? false };
  return found;
}
