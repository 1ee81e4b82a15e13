import { Dialog as Base } from "@base-ui/react/dialog";
import { Search } from "lucide-react";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { Age } from "../kit/Age";
import { cx } from "../kit/cx";
import { useIme } from "../kit/ime";
import popup from "../kit/Popup.module.css";
import { StateMark } from "../kit/State";
import { search, tilde, type ChatRow } from "../state/sidebar";
import styles from "./Palette.module.css";

/** Rows of the palette at most; typing narrows. */
export const PALETTE_ROWS = 50;

export interface PaletteProps {
  open: boolean;
  chats: ChatRow[];
  home: string;
  onClose: () => void;
  onChoose: (chatId: string) => void;
}

/** Jump to a chat by a few letters. */
export function Palette({ open, onClose, ...rest }: PaletteProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <Base.Portal>
        <Base.Backdrop className={popup.scrim} />
        <Base.Popup className={cx(popup.dialog, popup.palette)} aria-label="Find a chat">
          <Finder {...rest} onClose={onClose} />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function Finder({ chats, home, onClose, onChoose }: Omit<PaletteProps, "open">) {
  const [typed, setTyped] = useState("");
  const [active, setActive] = useState(0);
  const ime = useIme();
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const found = search(chats, typed).slice(0, PALETTE_ROWS);
  const at = Math.min(active, found.length - 1);

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [at, typed]);

  const choose = (chat: ChatRow | undefined) => {
    if (!chat) return;
    onClose();
    onChoose(chat.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (ime.composing(event)) return;
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setActive(Math.min(Math.max(at + step, 0), Math.max(found.length - 1, 0)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(found[at]);
    }
  };
  return (
    <>
      <div className={styles.field}>
        <Search aria-hidden="true" />
        <input
          {...ime.handlers}
          role="combobox"
          aria-label="Find a chat by title or folder"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={found[at] ? `${id}-${at}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder="Find a chat…"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul ref={list} id={`${id}-list`} role="listbox" aria-label="Chats" className={styles.rows}>
        {found.map((chat, index) => (
          <li
            key={chat.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            className={styles.row}
            onPointerMove={() => setActive(index)}
            onClick={() => choose(chat)}
          >
            <span className={styles.title} dir="auto">{chat.title}</span>
            <StateMark state={chat.state} show={chat.state === "read" ? "glyph" : "full"} className={styles.state} />
            <span className={styles.folder} dir="auto">{tilde(chat.folder, home)}</span>
            <Age since={chat.since} className={styles.age} />
          </li>
        ))}
      </ul>
      <p role="status" className={found.length ? "visually-hidden" : styles.none}>
        {found.length === 0 ? "No chat has these words in its title or folder." : `${found.length} found`}
      </p>
    </>
  );
}
