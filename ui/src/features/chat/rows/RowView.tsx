// One row by its kind. Memoised on the row object: what did not change is not drawn again.
import { memo } from "react";
import type { Row } from "../../../state/transcript-rows";
import { Markdown } from "../../../kit/Markdown";
import { CopyButton } from "../../../kit/CopyButton";
import { DecisionMark, NoticeLine, PlanList, UnknownLine } from "./Marks";
import { Ending } from "./Ending";
import { Forked } from "./Forked";
import { Prompt } from "./Prompt";
import { Reasoning } from "./Reasoning";
import { Structured } from "./Structured";
import { TaskGroup } from "./TaskGroup";
import { ToolLine } from "./ToolLine";
import { Whole } from "./Whole";
import styles from "./Rows.module.css";

export const RowView = memo(function RowView({ row }: { row: Row }) {
  switch (row.kind) {
    case "prompt":
      return <Prompt row={row} />;
    case "forked":
      return <Forked row={row} />;
    case "structured":
      return <Structured row={row} />;
    case "text":
      return (
        <div className={styles.answer} data-testid="row-text" dir="auto">
          <Whole text={row.text} truncated={row.truncated}>{(text) => <Markdown text={text} streaming={row.open} />}</Whole>
          {!row.open && (
            <div className={styles.answerTools}>
              <CopyButton text={row.text} label="Copy as Markdown" look="icon" />
            </div>
          )}
        </div>
      );
    case "reasoning":
      return <Reasoning row={row} />;
    case "tool":
      return <ToolLine row={row} />;
    case "task":
      return <TaskGroup row={row} />;
    case "decision":
      return <DecisionMark row={row} />;
    case "notice":
      return <NoticeLine row={row} />;
    case "plan":
      return <PlanList row={row} />;
    case "unknown":
      return <UnknownLine row={row} />;
    case "ending":
      return <Ending row={row} />;
  }
});
