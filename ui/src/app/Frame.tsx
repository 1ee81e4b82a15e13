import { Dialog as Base } from "@base-ui/react/dialog";
import { Menu as MenuIcon } from "lucide-react";
import { useState, type CSSProperties, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";
import { IconButton } from "../kit/Button";
import { NARROW, useMedia } from "../kit/media";
import popup from "../kit/Popup.module.css";
import styles from "./Frame.module.css";
import { Wordmark } from "./Wordmark";

/** Width of the sidebar (px): least, most, at first; one step by key. */
export const SIDEBAR = { least: 200, most: 420, first: 268, step: 16 } as const;
const WIDTH_KEY = "paddock.sidebar";

export interface FrameProps {
  sidebar: (close: () => void) => ReactNode;
  waiting: number;
  banner?: ReactNode;
  children: ReactNode;
}

function clamp(width: number): number {
  return Math.min(Math.max(width, SIDEBAR.least), SIDEBAR.most);
}

function storedWidth(): number {
  const stored = Number(window.localStorage.getItem(WIDTH_KEY));
  return stored > 0 ? clamp(stored) : SIDEBAR.first;
}

/** The two parts of the window. Draws at once, before the host has answered anything. */
export function Frame({ sidebar, waiting, banner, children }: FrameProps) {
  const narrow = useMedia(NARROW);
  const [width, setWidth] = useState(storedWidth);
  const keep = (next: number) => {
    setWidth(clamp(next));
    window.localStorage.setItem(WIDTH_KEY, String(clamp(next)));
  };
  return (
    <div className={styles.frame} data-testid="shell" style={{ "--sidebar": `${width}px` } as CSSProperties}>
      <a className={styles.skip} href="#main" onClick={toMain}>Skip to the main part</a>
      {narrow ? null : (
        <nav className={styles.side} aria-label="Chats and rooms" data-region="side" tabIndex={-1}>
          <div className={styles.sideBody}>{sidebar(() => undefined)}</div>
          <Handle width={width} onWidth={keep} />
        </nav>
      )}
      <div className={styles.column}>
        {narrow ? <NarrowBar sidebar={sidebar} waiting={waiting} /> : null}
        {banner}
        <main id="main" className={styles.main} data-region="main" tabIndex={-1}>{children}</main>
      </div>
    </div>
  );
}

function toMain(event: { preventDefault: () => void }): void {
  event.preventDefault();
  const main = document.getElementById("main");
  (main?.querySelector<HTMLElement>("h1[tabindex]") ?? main)?.focus();
}

function NarrowBar({ sidebar, waiting }: Pick<FrameProps, "sidebar" | "waiting">) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <header className={styles.bar}>
      <Base.Root open={open} onOpenChange={setOpen}>
        <IconButton label="Chats and rooms" aria-haspopup="dialog" aria-expanded={open} onClick={() => setOpen(true)}><MenuIcon /></IconButton>
        <Base.Portal>
          <Base.Backdrop className={popup.scrim} />
          <Base.Popup className={styles.drawer} aria-label="Chats and rooms" data-region="side">
            <nav aria-label="Chats and rooms" className={styles.drawerNav}>{sidebar(close)}</nav>
          </Base.Popup>
        </Base.Portal>
      </Base.Root>
      <Wordmark />
      <span className={styles.gap} />
      {waiting > 0 ? <a className={styles.waiting} href="#/inbox">{waiting} {waiting === 1 ? "needs" : "need"} you</a> : null}
    </header>
  );
}

function Handle({ width, onWidth }: { width: number; onWidth: (width: number) => void }) {
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (event.buttons !== 1 || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    onWidth(document.documentElement.dir === "rtl" ? window.innerWidth - event.clientX : event.clientX);
  };
  const press = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowLeft: width - SIDEBAR.step, ArrowRight: width + SIDEBAR.step, Home: SIDEBAR.least, End: SIDEBAR.most };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    onWidth(next);
  };
  return (
    <div
      role="separator"
      tabIndex={0}
      aria-label="Width of the sidebar"
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={SIDEBAR.least}
      aria-valuemax={SIDEBAR.most}
      className={styles.handle}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onDoubleClick={() => onWidth(SIDEBAR.first)}
      onKeyDown={press}
    />
  );
}
