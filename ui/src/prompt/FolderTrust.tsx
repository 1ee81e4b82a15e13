// What a folder would make a harness run, and the person's word about it. Trust can be given only with the list open.
import { useState } from "react";
import type { FolderTrustView, HostError } from "../host";
import { Button } from "../kit/Button";
import { VisibleText } from "../kit/CodeVisible";
import { Notice } from "../kit/Notice";
import { useFolderTrust, useTrust } from "../state/queries";
import styles from "./FolderTrust.module.css";
import { grouped, HEADING, trustSentence } from "./trust";

/** Says nothing while there is nothing to say. `folder` must exist. */
export function FolderTrust({ harness, name, folder }: { harness: string; name: string; folder: string }) {
  const view = useFolderTrust(harness, folder);
  const resolved = view.data?.folder ?? folder;
  const trust = useTrust(harness, folder);
  if (view.error) {
    return (
      <Notice tone="warn" title="What this folder brings could not be looked at" actions={<Button size="sm" onClick={() => void view.refetch()}>Look again</Button>}>
        {view.error.message} Until then it is left out.
      </Notice>
    );
  }
  if (!view.data || view.data.state === "nothing") return null;
  return (
    <TrustCard
      view={view.data}
      name={name}
      busy={trust.isPending}
      error={trust.error}
      onTrust={(digest) => trust.mutate({ trust: digest })}
      onDistrust={() => trust.mutate({ distrust: resolved })}
    />
  );
}

export interface TrustCardProps {
  view: FolderTrustView;
  name: string;
  busy: boolean;
  error: HostError | null;
  onTrust: (digest: string) => void;
  onDistrust: () => void;
}

export function TrustCard({ view, name, busy, error, onTrust, onDistrust }: TrustCardProps) {
  const [open, setOpen] = useState(false);
  const { tone, title, text } = trustSentence(view.state, name, view.items);
  return (
    <Notice
      tone={tone}
      title={title}
      actions={
        view.items.length > 0 && (
          <>
            <Button size="sm" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? "Hide the list" : "Show what it would run"}</Button>
            {view.state === "trusted" && <Button size="sm" busy={busy} onClick={onDistrust}>Run without it</Button>}
            {open && view.state !== "trusted" && view.complete && <Button size="sm" busy={busy} onClick={() => onTrust(view.digest)}>Trust this content</Button>}
          </>
        )
      }
    >
      <p>{text}</p>
      {!view.complete && <p>Not everything could be looked at, so it cannot be trusted.</p>}
      {error && <p role="alert">{error.message} {error.nextStep}</p>}
      {open && <Items view={view} />}
    </Notice>
  );
}

function Items({ view }: { view: FolderTrustView }) {
  return (
    <div className={styles.items} role="region" aria-label="What this folder would run" tabIndex={0}>
      {grouped(view.items).map(({ kind, items }) => (
        <section key={kind} className={styles.group}>
          <h3 className={styles.heading}>{HEADING[kind]}</h3>
          <ul>
            {items.map((item, at) => (
              <li key={`${item.file}-${at}`} className={styles.item}>
                <span className={styles.name}><VisibleText text={item.name} /></span>
                {item.detail !== null && <span className={styles.detail}><VisibleText text={item.detail} /></span>}
                <span className={styles.file}><VisibleText text={item.file} /></span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
