// Links in text that a model or a tool wrote: nothing opens before the person has seen the true target.
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { Button } from "./Button";
import { CopyButton } from "./CopyButton";
import { VisibleText } from "./CodeVisible";
import { AlertDialog } from "./Dialog";
import styles from "./Markdown.module.css";

/** Protocols that may leave the app. Everything else is shown and does nothing. */
const OPENABLE = new Set(["http:", "https:", "mailto:"]);

export interface LinkTarget {
  /** As the browser would ask for it: international names in their ASCII form. */
  href: string;
  /** The part that decides where it goes. */
  host: string;
  /** The address carries a user name, a common disguise. */
  disguised: boolean;
}

/** The true target of a link, or null when it must not be opened. */
export function linkTarget(href: string | undefined): LinkTarget | null {
  if (!href) return null;
  let url: URL;
  try {
    url = new URL(href.trim());
  } catch {
    return null; // relative or malformed: there is nowhere to go from a chat
  }
  if (!OPENABLE.has(url.protocol)) return null;
  if (url.protocol === "mailto:") return { href: url.href, host: url.pathname, disguised: false };
  return { href: url.href, host: url.host, disguised: url.username !== "" || url.password !== "" };
}

const Gate = createContext<((target: LinkTarget) => void) | null>(null);

/** Gives the links below it a way out: `open` is called with the target once the person agreed. */
export function LinkGate({ open, children }: { open: (href: string) => void; children: ReactNode }) {
  const [target, setTarget] = useState<LinkTarget | null>(null);
  const ask = useCallback((next: LinkTarget) => setTarget(next), []);
  const close = () => setTarget(null);
  return (
    <Gate.Provider value={ask}>
      {children}
      <AlertDialog
        open={target !== null}
        onClose={close}
        title="Open this page in your browser?"
        text={
          <>
            It goes to <strong className={styles.gateHost}>{target?.host}</strong>
            {target?.disguised ? ". The address carries a user name, which can make it look like another site." : "."}
          </>
        }
        actions={
          <>
            <span className={styles.gateCopy}>{target && <CopyButton text={target.href} label="Copy link" look="small" />}</span>
            <Button onClick={close}>Cancel</Button>
            <Button
              tone="primary"
              onClick={() => {
                if (target) open(target.href);
                close();
              }}
            >
              Open page
            </Button>
          </>
        }
      >
        <p className={styles.gateTarget}>{target && <VisibleText text={target.href} />}</p>
      </AlertDialog>
    </Gate.Provider>
  );
}

/** One link. Without a way out, or with a target that may not be opened, it is text that names its target. */
export function SafeLink({ href, children }: { href: string | undefined; children?: ReactNode }) {
  const ask = useContext(Gate);
  const target = useMemo(() => linkTarget(href), [href]);
  if (!target || !ask) {
    const same = typeof children === "string" && children === href;
    return (
      <span className={styles.inert} title={href ? `Not opened: ${href}` : undefined}>
        {children}
        {href && !same && <span className={styles.inertTarget}> ({href})</span>}
      </span>
    );
  }
  return (
    <button type="button" role="link" className={styles.link} title={target.href} onClick={() => ask(target)}>
      {children}
    </button>
  );
}

/** A picture is never fetched: its description and where it would come from are shown instead. */
export function RemotePicture({ src, alt }: { src: string | undefined; alt: string | undefined }) {
  const data = src?.startsWith("data:") ?? false;
  return (
    <span className={styles.picture}>
      <span className={styles.pictureWord}>Picture</span> {alt || "without a description"}
      {src && !data && (
        <>
          {" · "}
          <SafeLink href={src}>{linkTarget(src)?.host ?? src}</SafeLink>
        </>
      )}
    </span>
  );
}
