// Find in this chat. The store searches, so that a chat of any length is searched whole.
import { ChevronDown, ChevronUp, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { IconButton } from "../../kit/Button";
import { useIme } from "../../kit/ime";
import styles from "./Chat.module.css";
import type { SearchHit } from "./port";

/** Milliseconds of rest before the store is asked. */
const FIND_REST_MS = 180;

export interface FindProps {
  search: (query: string) => Promise<SearchHit[]>;
  onGo: (hit: SearchHit, query: string) => void;
  onClose: () => void;
}

export function Find({ search, onGo, onClose }: FindProps) {
  const [query, setQuery] = useState("");
  const [hits, setHits] = useState<readonly SearchHit[] | null>(null);
  const [at, setAt] = useState(0);
  const [failed, setFailed] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const ime = useIme();

  useEffect(() => field.current?.select(), []);
  useEffect(() => {
    const wanted = query.trim();
    setFailed(null);
    if (wanted === "") {
      setHits(null);
      return;
    }
    let current = true;
    const timer = setTimeout(() => {
      search(wanted).then(
        (found) => {
          if (!current) return;
          setHits(found);
          const last = found.length - 1;
          setAt(Math.max(0, last));
          const hit = found[last];
          if (hit) onGo(hit, wanted);
        },
        (error: unknown) => current && setFailed(error instanceof Error ? error.message : String(error)),
      );
    }, FIND_REST_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
    // onGo changes with every drawing of the chat; only the words start a search.
  }, [query, search]);

  const step = (by: number) => {
    if (!hits || hits.length === 0) return;
    const next = (at + by + hits.length) % hits.length;
    setAt(next);
    onGo(hits[next] as SearchHit, query.trim());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (ime.composing(event)) return;
    if (event.key === "Escape") {
      event.preventDefault();
      onClose();
    } else if (event.key === "Enter") {
      event.preventDefault();
      step(event.shiftKey ? 1 : -1);
    }
  };
  const count = failed ? "Search failed" : hits === null ? "" : hits.length === 0 ? "Not found" : `${at + 1} of ${hits.length}`;
  return (
    <div className={styles.find} role="search" data-closes-on-esc onKeyDown={onKeyDown}>
      <input
        ref={field}
        className={styles.findField}
        aria-label="Find in this chat"
        placeholder="Find in this chat"
        value={query}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setQuery(event.target.value)}
        {...ime.handlers}
      />
      <span className={styles.findCount} role="status" title={failed ?? undefined}>{count}</span>
      <IconButton size="sm" label="Earlier hit" keys="Enter" onClick={() => step(-1)}><ChevronUp /></IconButton>
      <IconButton size="sm" label="Later hit" keys="Shift+Enter" onClick={() => step(1)}><ChevronDown /></IconButton>
      <IconButton size="sm" label="Close find" keys="Esc" onClick={onClose}><X /></IconButton>
    </div>
  );
}
