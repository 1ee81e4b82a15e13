// What a chat shows, one object a row. Rows are never changed in place: a row that did not change is the same object.
import type { AccountUsage, ApprovalRequest, AttachedFile, ClosedBy, Failure, Payload, PlanRequest, QuestionRequest, Task, ToolDetail, TurnUsage } from "./transcript-events";

/** A tool call's state. It only moves forward: a late start never overwrites an end. */
export type ToolState = "missing" | "waits" | "started" | "succeeded" | "failed" | "denied" | "interrupted";

interface Base {
  /** Stable for the life of the chat: built from the harness's ids, never from a position. */
  id: string;
  /** The first event that made the row; its place. */
  seq: number;
  /** The last event of its own that is in the row; the end of a turn, which closes rows, does not count. */
  last: number;
  /** Milliseconds since the Unix epoch. */
  at: number;
  turn: string | null;
}

export interface PromptRow extends Base {
  kind: "prompt";
  text: string;
  files: readonly AttachedFile[];
  /** The schema that the answer was asked by, as JSON text. */
  schema: string | null;
}

/** The chat goes on from a copy of another one's conversation. */
export interface ForkedRow extends Base {
  kind: "forked";
  chat: string;
  /** Its title then. */
  title: string;
}

/** The answer as data, checked by the harness against the schema of the prompt. */
export interface StructuredRow extends Base {
  kind: "structured";
  /** JSON text. */
  data: string;
}

export interface TextRow extends Base {
  kind: "text";
  text: string;
  /** Nothing but blanks so far: not shown. */
  blank: boolean;
  /** Still growing. */
  open: boolean;
  truncated: PayloadRef | null;
}

export interface ReasoningRow extends Base {
  kind: "reasoning";
  text: string;
  blank: boolean;
  open: boolean;
  /** Last time it grew. */
  until: number;
}

/** Where the whole of a cut payload is fetched from. */
export interface PayloadRef {
  seq: number;
  part: PayloadPart;
  bytes: number;
}
export type PayloadPart = "text" | "input" | "output" | "detail" | "old" | "new" | "content" | "plan" | "diff" | "raw";

export interface ToolRow extends Base {
  kind: "tool";
  callId: string | null;
  name: string;
  state: ToolState;
  detail: ToolDetail | null;
  input: Payload | null;
  inputSeq: number | null;
  output: Payload | null;
  outputSeq: number | null;
  /** Output while it runs; replaced by `output`. */
  stream: string;
  error: string | null;
  /** True: ran without a question. Null: the harness does not tell. */
  unasked: boolean | null;
  /** A remembered grant allowed it: the scope as it was printed. */
  grant: string | null;
  /** What came of the question whether it may run; null: nobody was asked, or the question has a line of its own. */
  asked: { answer: string | null; closed: DecisionRow["closed"] } | null;
  startedAt: number | null;
  endedAt: number | null;
}

export interface TaskRow extends Base {
  kind: "task";
  taskId: string;
  /** `agent`, `shell`, or another word of the harness. */
  of: string;
  description: string;
  agent: string | null;
  state: "running" | "completed" | "failed" | "stopped";
  summary: string | null;
  tokens: number | null;
  children: readonly Row[];
}

export type DecisionKind = "approval" | "plan" | "question" | "async_question";

export interface DecisionRow extends Base {
  kind: "decision";
  ask: string;
  of: DecisionKind;
  approval: ApprovalRequest | null;
  plan: PlanRequest | null;
  question: QuestionRequest | null;
  closed: ClosedBy | { by: "restart" } | null;
  /** What was answered, in words, when the store tells. */
  answer: string | null;
  /** The row of the step it is about, which tells of it: then it has no line of its own. */
  step: string | null;
}

export interface NoticeRow extends Base {
  kind: "notice";
  tone: "quiet" | "warning" | "problem";
  /** Stable name of the kind, for glyphs and tests. */
  code: string;
  text: string;
  detail: string | null;
}

export interface PlanRow extends Base {
  kind: "plan";
  entries: ReadonlyArray<{ text: string; status: string }>;
}

export interface UnknownRow extends Base {
  kind: "unknown";
  count: number;
  samples: ReadonlyArray<{ kind: string; raw: string }>;
}

export interface EndingRow extends Base {
  kind: "ending";
  status: "succeeded" | "failed" | "interrupted";
  failure: Failure | null;
  delivery: "not_sent" | "possibly_sent" | "accepted";
  /** Cut off by a restart of the app. */
  restart: boolean;
  usage: TurnUsage | null;
  /** Milliseconds from start to end. */
  took: number | null;
  diff: { payload: Payload; seq: number } | null;
}

export type Row =
  | PromptRow | ForkedRow | StructuredRow | TextRow | ReasoningRow | ToolRow | TaskRow | DecisionRow | NoticeRow | PlanRow | UnknownRow | EndingRow;

/** Facts of which only the latest counts. */
export interface Latest {
  model: string | null;
  mode: string | null;
  payer: { source: string; label: string | null } | null;
  usage: TurnUsage | null;
  /** Quota of the account as this chat heard of it, and when. */
  quota: { usage: AccountUsage; at: number } | null;
  tasks: readonly Task[];
  commands: ReadonlyArray<{ name: string; description: string | null; argument_hint: string | null }>;
  mcp: ReadonlyArray<{ name: string; status: string }>;
  /** The turn under way. */
  turn: LiveTurn | null;
  unknown: number;
}

/** What the running turn does, for "waits for … since". */
export interface LiveTurn {
  id: string | null;
  startedAt: number;
  /** Time of the last sign of life. */
  lastAt: number;
  phase: "queued" | "starting" | "model" | "writing" | "thinking" | "tool" | "retry" | "compacting" | "decision";
  /** Since when it is in this phase. */
  since: number;
  retry: { attempt: number; max: number | null; until: number; reason: string | null } | null;
  /** Ids of tool rows that run. */
  running: readonly string[];
}
