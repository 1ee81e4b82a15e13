import type { Decision, Payload, ToolDetail } from "../contract";
import { minutesAgo } from "./clock";
import { HOME } from "./folders";

export const payload = (text: string): Payload => ({ text, bytes: new TextEncoder().encode(text).length, truncated: false });

interface Place {
  chat: string;
  chat_title: string;
  folder?: string;
}

function decision(id: string, place: Place, minutes: number, request: Decision["request"], over: Partial<Decision> = {}): Decision {
  return {
    id, folder: `${HOME}/work/atlas`, harness: "claude", turn: `${place.chat}-t1`, state: "open", blocking: true, opened_at: minutesAgo(minutes), expires_at: null,
    answer: null, ...place, request, ...over,
  };
}

export function approval(id: string, place: Place, minutes: number, command: string, description: string, over: Partial<Decision> = {}): Decision {
  const detail: ToolDetail = { kind: "command", command, background: false };
  return decision(id, place, minutes, {
    kind: "approval",
    request: {
      id: `ask-${id}`, tool_name: "Bash", tool_call_id: `tool-${id}`, input: payload(JSON.stringify({ command, description })), detail, description, blocked_path: null,
      agent_id: null, mcp_server: null, scope: { tool: "Bash", key: command, shown: "this exact command" }, editable: true,
    },
  }, over);
}

export function question(id: string, place: Place, minutes: number): Decision {
  return decision(id, place, minutes, {
    kind: "question",
    request: {
      id: `ask-${id}`,
      native: payload("{}"),
      prompts: [
        {
          key: "lexer", header: "Lexer", question: "Which lexer should the new token stream stand on?", multi_select: false, free_text: true,
          options: [
            { label: "Keep the hand-written one", description: "No new dependency; about 200 lines to port." },
            { label: "Generate it", description: "Faster to extend, and one more build step." },
          ],
        },
      ],
    },
  });
}

export function plan(id: string, place: Place, minutes: number): Decision {
  const text = "## Port in four steps\n\n1. Put the token stream behind a trait\n2. Port `Parser::expr`, keep both parsers\n3. Compare both on the corpus\n4. Remove the old parser\n\nNothing is deleted before step 4.";
  return decision(id, place, minutes, { kind: "plan", request: { id: `ask-${id}`, plan: payload(text), path: null } });
}
