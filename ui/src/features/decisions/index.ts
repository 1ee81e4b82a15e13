export { DecisionDock, type DecisionDockProps } from "./DecisionDock";
export { Inbox } from "./Inbox";
