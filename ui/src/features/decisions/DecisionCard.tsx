// One decision, by its kind.
import type { Ref } from "react";
import { ApprovalCard } from "./ApprovalCard";
import type { CardProps } from "./cards";
import { PlanCard } from "./PlanCard";
import { QuestionCard } from "./QuestionCard";

export function DecisionCard({ ref, ...props }: CardProps & { ref?: Ref<HTMLElement> }) {
  const { ask } = props.decision;
  if (ask.kind === "approval") return <ApprovalCard {...props} ref={ref} request={ask.request} />;
  if (ask.kind === "plan") return <PlanCard {...props} ref={ref} request={ask.request} />;
  return <QuestionCard {...props} ref={ref} request={ask.request} />;
}
