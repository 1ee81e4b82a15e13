import { Menu as Base } from "@base-ui/react/menu";
import type { ReactElement, ReactNode } from "react";
import styles from "./Popup.module.css";

export interface MenuEntry {
  id: string;
  label: string;
  hint?: string;
  icon?: ReactNode;
  keys?: string;
  danger?: boolean;
  disabled?: boolean;
  run: () => void;
}

export interface MenuProps {
  trigger: ReactElement;
  /** Entries; `null` is a line between groups. */
  entries: Array<MenuEntry | null>;
  align?: "start" | "end";
}

export function Menu({ trigger, entries, align = "end" }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={styles.positioner} sideOffset={4} align={align}>
          <Base.Popup className={styles.popup}>
            {entries.map((entry, index) =>
              entry === null ? (
                <Base.Separator key={`line-${index}`} className={styles.separator} />
              ) : (
                <Base.Item
                  key={entry.id}
                  className={styles.item}
                  data-tone={entry.danger ? "danger" : undefined}
                  disabled={entry.disabled}
                  onClick={entry.run}
                >
                  {entry.icon ? <span className={styles.itemIcon} aria-hidden="true">{entry.icon}</span> : null}
                  <span className={styles.itemBody}>
                    <span>{entry.label}</span>
                    {entry.hint ? <span className={styles.itemHint}>{entry.hint}</span> : null}
                  </span>
                  {entry.keys ? <span className={styles.itemEnd}>{entry.keys}</span> : null}
                </Base.Item>
              ),
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
