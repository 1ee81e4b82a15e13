import { CircleAlert, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "./cx";
import styles from "./Notice.module.css";

export interface NoticeProps {
  tone?: "info" | "warn" | "error";
  /** What happened. */
  title: string;
  /** What it means for the work, and the next step. */
  children?: ReactNode;
  actions?: ReactNode;
  /** Raw details that can be unfolded and copied. */
  details?: string | undefined;
  /** Read out when it appears. */
  live?: boolean;
}

const ICON = { info: Info, warn: TriangleAlert, error: CircleAlert };
const WORD = { info: "Note", warn: "Warning", error: "Error" };

export function Notice({ tone = "info", title, children, actions, details, live }: NoticeProps) {
  const Icon = ICON[tone];
  return (
    <div className={cx(styles.notice, styles[tone])} role={live ? (tone === "error" ? "alert" : "status") : undefined}>
      <Icon aria-hidden="true" className={styles.icon} />
      <div className={styles.body}>
        <p className={styles.title}>
          <span className="visually-hidden">{WORD[tone]}: </span>
          {title}
        </p>
        {children ? <div className={styles.text}>{children}</div> : null}
        {details ? (
          <details className={styles.details}>
            <summary>Details</summary>
            <pre tabIndex={0}>{details}</pre>
          </details>
        ) : null}
        {actions ? <div className={styles.actions}>{actions}</div> : null}
      </div>
    </div>
  );
}
