import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import styles from "./Button.module.css";
import { cx } from "./cx";
import { Tooltip } from "./Tooltip";

export type ButtonTone = "primary" | "plain" | "ghost" | "danger";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  tone?: ButtonTone;
  size?: "sm" | "md" | "lg";
  icon?: ReactNode;
  /** Shown at the right end; the key that does the same. */
  keys?: ReactNode;
  /** Work is under way: the button says so, stays focusable and ignores clicks. */
  busy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ tone = "plain", size = "md", icon, keys, busy, className, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={cx(styles.button, styles[tone], styles[size], className)}
    >
      {icon ? <span className={styles.icon} aria-hidden="true">{icon}</span> : null}
      {children ? <span className={styles.label}>{children}</span> : null}
      {keys ? <span className={styles.keys} aria-hidden="true">{keys}</span> : null}
    </button>
  );
}

export interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** The name that is read out and shown as a tooltip. */
  label: string;
  keys?: string;
  size?: "sm" | "md";
  tone?: "ghost" | "plain";
  tipSide?: "top" | "bottom" | "left" | "right";
  ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ label, keys, size = "md", tone = "ghost", tipSide, className, children, ...rest }: IconButtonProps) {
  return (
    <Tooltip label={label} keys={keys} side={tipSide}>
      <button type="button" aria-label={label} {...rest} className={cx(styles.button, styles[tone], styles.square, styles[size], className)}>
        <span className={styles.icon} aria-hidden="true">{children}</span>
      </button>
    </Tooltip>
  );
}
