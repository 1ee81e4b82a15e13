import { useEffect, useMemo, useRef, useState } from "react";
import { Harnesses } from "../features/harnesses";
import { NewChat } from "../features/newchat";
import { Settings } from "../features/settings";
import { Workspaces } from "../features/workspaces";
import { Button } from "../kit/Button";
import { appleKeys } from "../kit/Kbd";
import { Notice } from "../kit/Notice";
import { Page, Skeleton } from "../kit/Page";
import { useNoStrayDrops } from "../prompt";
import { askToQuit, connect, live, useLive } from "../state/live";
import { useHarnesses } from "../state/queries";
import { goTo, useRoute, type Route } from "../state/route";
import { byFolder, nameOf, windowTitle, type ChatRow } from "../state/sidebar";
import { chatRows, oldestDecision, waitingCount } from "../state/world";
import styles from "./App.module.css";
import { Elsewhere } from "./Elsewhere";
import { Frame } from "./Frame";
import { hostError } from "../host";
import { deedOf, KEYS, moveRegion } from "./keys";
import { Palette } from "./Palette";
import { QuitDialog } from "./QuitDialog";
import { Sidebar } from "./Sidebar";

/** What draws Markdown, code and diffs is most of the program; the shell and the lists are painted before it is read. */
const readHeavy = async () => {
  const [{ ChatRoom }, { Inbox }] = await Promise.all([import("./ChatRoom"), import("../features/decisions")]);
  return { ChatRoom, Inbox };
};
type Heavy = Awaited<ReturnType<typeof readHeavy>>;

/** Reads it at once when the room is made of it, else when the lists are on screen: reading it holds the page up. */
function useHeavy(needed: boolean, painted: boolean): Heavy | null {
  const [heavy, setHeavy] = useState<Heavy | null>(null);
  useEffect(() => {
    if (heavy || (!needed && !painted)) return;
    const read = () => {
      readHeavy().then(setHeavy, (cause: unknown) => console.error("a part of the window could not be read", cause));
    };
    if (needed) return read();
    const frame = requestAnimationFrame(() => setTimeout(read));
    return () => cancelAnimationFrame(frame);
  }, [needed, painted, heavy]);
  return heavy;
}

export function App() {
  const route = useRoute();
  const known = useLive((state) => state.known);
  const chats = useLive((state) => state.chats);
  const workspaces = useLive((state) => state.workspaces);
  const decisions = useLive((state) => state.decisions);
  const home = useLive((state) => state.boot?.home ?? "");
  const broken = useLive((state) => state.broken !== null || state.boot?.store.state === "unusable");
  const [finding, setFinding] = useState(false);
  const [card, setCard] = useState<{ id: string | null } | null>(null);
  const rows = useMemo(() => chatRows(chats, decisions), [chats, decisions]);
  const folders = useMemo(() => byFolder(rows, [...workspaces.values()]), [rows, workspaces]);
  const waiting = waitingCount(decisions);
  const place = placeOf(route, rows);
  const trouble = useHarnesses().data?.some(({ status }) => status !== null && status !== "ready") ?? false;

  useEffect(() => {
    document.title = windowTitle(waiting, place);
  }, [waiting, place]);
  useNoStrayDrops();
  useOpening(setCard);
  useKeys(() => setFinding(true), setCard);
  const heavy = useHeavy(route.room === "chat" || route.room === "inbox", known || broken);

  return (
    <>
      <Frame
        waiting={waiting}
        banner={<Banner />}
        sidebar={(close) => (
          <Sidebar
            route={route}
            folders={known ? folders : null}
            broken={broken}
            waiting={waiting}
            harnessTrouble={trouble}
            onGo={close}
            onFind={() => {
              close();
              setFinding(true);
            }}
          />
        )}
      >
        <Room route={route} card={card} heavy={heavy} place={place} />
        <FocusOnRoom route={route} />
      </Frame>
      <Palette open={finding} chats={rows} home={home} onClose={() => setFinding(false)} onChoose={(chatId) => goTo({ room: "chat", chatId })} />
      <QuitDialog />
      <Elsewhere chatId={route.room === "chat" ? route.chatId : null} />
    </>
  );
}

interface RoomProps {
  route: Route;
  card: { id: string | null } | null;
  heavy: Heavy | null;
  place: string;
}

function Room({ route, card, heavy, place }: RoomProps) {
  if ((route.room === "chat" || route.room === "inbox") && !heavy) return <Page title={place}><Skeleton lines={4} /></Page>;
  switch (route.room) {
    case "new":
      return <NewChat folder={route.folder} />;
    case "chat":
      return heavy && <heavy.ChatRoom key={route.chatId} chatId={route.chatId} card={card} />;
    case "inbox":
      return heavy && <heavy.Inbox />;
    case "harnesses":
      return <Harnesses />;
    case "workspaces":
      return <Workspaces workspaceId={route.workspaceId} />;
    case "settings":
      return <Settings keys={KEYS} />;
  }
}

function placeOf(route: Route, rows: ChatRow[]): string {
  switch (route.room) {
    case "new":
      return "New chat";
    case "chat":
      return rows.find(({ id }) => id === route.chatId)?.title ?? "Chat";
    case "inbox":
      return "Inbox";
    case "harnesses":
      return "Harnesses";
    case "workspaces": {
      const path = route.workspaceId ? live.getState().workspaces.get(route.workspaceId)?.path : undefined;
      return path ? nameOf(path) : "Workspaces";
    }
    case "settings":
      return "Settings";
  }
}

/** What the whole window must know: the store is unusable, or the feed has ended. */
function Banner() {
  const broken = useLive((state) => state.broken);
  const store = useLive((state) => state.boot?.store);
  if (store?.state === "unusable") {
    return <div className={styles.banner}><Notice tone="error" live title={store.message} details={store.path}>{store.next_step}</Notice></div>;
  }
  if (!broken) return null;
  return (
    <div className={styles.banner}>
      <Notice tone="error" live title={broken.message} details={broken.details} actions={<Button size="sm" onClick={() => void connect()}>Try again</Button>}>{broken.nextStep}</Notice>
    </div>
  );
}

/** Follows what the host asks to be shown: a notification was clicked, or a chat is to open first. */
function useOpening(setCard: (card: { id: string | null }) => void): void {
  const shown = useLive((state) => state.shown);
  const first = useLive((state) => state.boot?.open_chat ?? null);
  useEffect(() => {
    if (!shown) return;
    goTo({ room: "chat", chatId: shown.chat });
    if (shown.decision) setCard({ id: shown.decision });
  }, [shown, setCard]);
  useEffect(() => {
    if (first) goTo({ room: "chat", chatId: first }, "replace");
  }, [first]);
}

function useKeys(find: () => void, setCard: (card: { id: string | null }) => void): void {
  const latest = useRef({ find, setCard });
  latest.current = { find, setCard };
  useEffect(() => {
    const apple = appleKeys();
    const press = (event: KeyboardEvent) => {
      const deed = deedOf(event, apple);
      if (!deed) return;
      event.preventDefault();
      if (deed === "new-chat") goTo({ room: "new" });
      else if (deed === "settings") goTo({ room: "settings" });
      else if (deed === "quit") askToQuit().catch((cause: unknown) => live.setState({ broken: hostError(cause) }));
      else if (deed === "find") latest.current.find();
      else if (deed === "oldest-decision") toOldest(latest.current.setCard);
      else moveRegion(deed === "next-region" ? 1 : -1);
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}

function toOldest(setCard: (card: { id: string | null }) => void): void {
  const oldest = oldestDecision(live.getState().decisions);
  if (!oldest) {
    goTo({ room: "inbox" });
    return;
  }
  goTo({ room: "chat", chatId: oldest.chat });
  setCard({ id: oldest.id });
}

/**
 * Entering a room moves the focus to its heading, unless something in it has taken it; the first room leaves it
 * alone.
 */
function FocusOnRoom({ route }: { route: Route }) {
  const first = useRef(true);
  const key = route.room === "workspaces" ? `workspaces ${route.workspaceId ?? ""}` : route.room === "chat" ? `chat ${route.chatId}` : route.room;
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    const main = document.getElementById("main");
    if (!main || main.contains(document.activeElement)) return;
    if (document.activeElement?.closest('[data-region="side"]') && document.activeElement.getAttribute("aria-current") === "page") return;
    (main.querySelector<HTMLElement>("h1[tabindex]") ?? main).focus({ preventScroll: true });
  }, [key]);
  return null;
}
