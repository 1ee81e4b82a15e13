import styles from "./Sidebar.module.css";

/** Two posts and two rails: a paddock. */
export function Wordmark() {
  return (
    <span className={styles.wordmark}>
      <svg viewBox="0 0 20 20" aria-hidden="true" className={styles.logo}>
        <path d="M4.5 3v14M15.5 3v14" stroke="currentColor" strokeWidth="2.4" strokeLinecap="round" />
        <path d="M1.5 7.4h17M1.5 12.6h17" stroke="currentColor" strokeWidth="2" strokeLinecap="round" opacity="0.72" />
      </svg>
      Paddock
    </span>
  );
}
