// The words of the store, as the transcript reads them.
export type {
  AccountUsage, ApprovalDecision, ApprovalRequest, AttachedFile, ChatEvent, ClosedBy, DeliveryState, Failure, Grant, Payload, PermissionMode, PlanDecision, PlanRequest,
  QuestionPrompt, QuestionRequest, QuestionResponse, QueuedPrompt, Receipt, ReceiptDecision, ReceiptStep, StoredEvent, Task, ToolCall, ToolDetail, ToolStatus, TurnUsage,
  TurnEvent as TurnEventBody,
} from "../host";
