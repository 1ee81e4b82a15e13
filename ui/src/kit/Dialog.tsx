import { AlertDialog as BaseAlert } from "@base-ui/react/alert-dialog";
import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode, RefObject } from "react";
import { cx } from "./cx";
import styles from "./Popup.module.css";

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  text?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  wide?: boolean;
  /** What has the focus first; without it, the first control. */
  initialFocus?: RefObject<HTMLElement | null>;
}

/** A dialog that can be left by Esc or a click beside it. */
export function Dialog({ open, onClose, title, text, children, actions, wide, initialFocus }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <Base.Portal>
        <Base.Backdrop className={styles.scrim} />
        <Base.Popup className={cx(styles.dialog, wide && styles.wide)} initialFocus={initialFocus}>
          <Base.Title className={styles.dialogTitle}>{title}</Base.Title>
          {text ? <Base.Description className={styles.dialogText}>{text}</Base.Description> : null}
          {children ? <div className={styles.dialogBody}>{children}</div> : null}
          {actions ? <div className={styles.dialogActions}>{actions}</div> : null}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** A question that must be answered: a click beside it does not close it, Esc means the safe answer. */
export function AlertDialog({ open, onClose, title, text, children, actions, wide, initialFocus }: DialogProps) {
  return (
    <BaseAlert.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <BaseAlert.Portal>
        <BaseAlert.Backdrop className={styles.scrim} />
        <BaseAlert.Popup className={cx(styles.dialog, wide && styles.wide)} initialFocus={initialFocus}>
          <BaseAlert.Title className={styles.dialogTitle}>{title}</BaseAlert.Title>
          {text ? <BaseAlert.Description className={styles.dialogText}>{text}</BaseAlert.Description> : null}
          {children ? <div className={styles.dialogBody}>{children}</div> : null}
          <div className={styles.dialogActions}>{actions}</div>
        </BaseAlert.Popup>
      </BaseAlert.Portal>
    </BaseAlert.Root>
  );
}
