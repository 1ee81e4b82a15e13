import { Popover as Base } from "@base-ui/react/popover";
import type { ReactElement, ReactNode } from "react";
import { cx } from "./cx";
import styles from "./Popup.module.css";

export interface PopoverProps {
  trigger: ReactElement;
  /** Names what opens. */
  title: string;
  children: ReactNode;
  onOpenChange?: (open: boolean) => void;
}

/** A small sheet beside its button, for a list that is read or acted on now and then. */
export function Popover({ trigger, title, children, onOpenChange }: PopoverProps) {
  return (
    <Base.Root onOpenChange={(open) => onOpenChange?.(open)}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={styles.positioner} sideOffset={4} align="start" collisionPadding={8} collisionAvoidance={{ side: "flip", align: "shift" }}>
          <Base.Popup className={cx(styles.popup, styles.sheet)}>
            <Base.Title className={styles.sheetTitle}>{title}</Base.Title>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
