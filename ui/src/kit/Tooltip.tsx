import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement, ReactNode } from "react";
import { Kbd } from "./Kbd";
import styles from "./Popup.module.css";

/** One delay for all tooltips (ms); the next one of a group opens at once. */
export const TOOLTIP_DELAY_MS = 500;

export function TooltipProvider({ children }: { children: ReactNode }) {
  return <Base.Provider delay={TOOLTIP_DELAY_MS}>{children}</Base.Provider>;
}

export interface TooltipProps {
  label: string;
  keys?: string | undefined;
  side?: "top" | "bottom" | "left" | "right" | undefined;
  children: ReactElement;
}

/** Says again what a control is called. Never the only place of a fact: touch and some readers do not see it. */
export function Tooltip({ label, keys, side = "bottom", children }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6} className={styles.tipPositioner}>
          <Base.Popup className={styles.tip} aria-hidden="true">
            <span>{label}</span>
            {keys ? <Kbd>{keys}</Kbd> : null}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
