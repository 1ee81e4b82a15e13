// What every card gets.
import type { ReactNode } from "react";
import type { DecisionPort, DecisionView } from "./model";

export interface CardProps {
  decision: DecisionView;
  port: DecisionPort;
  now: number;
  showChat: boolean;
  aside?: ReactNode;
  onAnswered: (decision: DecisionView) => void;
  onLeave: () => void;
  onOpenChat?: (() => void) | undefined;
}
