import type { ReactNode } from "react";
import { cx } from "./cx";
import styles from "./Page.module.css";

/** A room: its title, a line about it, and sections below in one column. */
export function Page({ title, intro, actions, children, narrow }: { title: string; intro?: ReactNode; actions?: ReactNode; children: ReactNode; narrow?: boolean }) {
  return (
    <div className={styles.scroll}>
      <div className={cx(styles.page, narrow && styles.narrow)}>
        <header className={styles.header}>
          <div className={styles.heading}>
            <h1 className={styles.title} tabIndex={-1}>{title}</h1>
            {intro ? <p className={styles.intro}>{intro}</p> : null}
          </div>
          {actions ? <div className={styles.actions}>{actions}</div> : null}
        </header>
        {children}
      </div>
    </div>
  );
}

export function Section({ title, intro, actions, children, id }: { title: string; intro?: ReactNode; actions?: ReactNode; children: ReactNode; id?: string }) {
  return (
    <section className={styles.section} aria-label={title} id={id}>
      <header className={styles.sectionHeader}>
        <div className={styles.heading}>
          <h2 className={styles.sectionTitle}>{title}</h2>
          {intro ? <p className={styles.sectionIntro}>{intro}</p> : null}
        </div>
        {actions ? <div className={styles.actions}>{actions}</div> : null}
      </header>
      {children}
    </section>
  );
}

export function Card({ children, className }: { children: ReactNode; className?: string | undefined }) {
  return <div className={cx(styles.card, className)}>{children}</div>;
}

/** Name and value in two columns that become one on a narrow window. */
export function Facts({ items }: { items: Array<{ name: string; value: ReactNode }> }) {
  return (
    <dl className={styles.facts}>
      {items.map((item) => (
        <div key={item.name} className={styles.fact}>
          <dt>{item.name}</dt>
          <dd>{item.value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Empty({ icon, title, children, actions }: { icon?: ReactNode; title: string; children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className={styles.empty}>
      {icon ? <span className={styles.emptyIcon} aria-hidden="true">{icon}</span> : null}
      <p className={styles.emptyTitle}>{title}</p>
      {children ? <div className={styles.emptyText}>{children}</div> : null}
      {actions ? <div className={styles.emptyActions}>{actions}</div> : null}
    </div>
  );
}

/** A place where text will be. */
export function Skeleton({ lines = 3, label = "Loading" }: { lines?: number; label?: string }) {
  return (
    <div className={styles.skeleton} role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} aria-hidden="true" />
      ))}
    </div>
  );
}

export type BadgeTone = "plain" | "accent" | "warn" | "error" | "practice";

export function Badge({ tone = "plain", children, icon }: { tone?: BadgeTone; children: ReactNode; icon?: ReactNode }) {
  return (
    <span className={cx(styles.badge, styles[`badge-${tone}`])}>
      {icon}
      {children}
    </span>
  );
}

/** A path or id in full, breaking anywhere rather than overflowing. */
export function Mono({ children }: { children: string }) {
  return <code className={styles.mono}>{children}</code>;
}
