import { useSyncExternalStore } from "react";

/** The rooms of the window. The address is the hash, so back and forward work in every web view. */
export type Route =
  | { room: "new"; folder?: string | undefined }
  | { room: "chat"; chatId: string }
  | { room: "inbox" }
  | { room: "harnesses" }
  | { room: "workspaces"; workspaceId?: string | undefined }
  | { room: "settings"; section?: string | undefined };

export type Room = Route["room"];

/** Every room; the accessibility run goes through this list and fails on one that it does not know. */
export const ROOMS = ["new", "chat", "inbox", "harnesses", "workspaces", "settings"] as const satisfies readonly Room[];

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [room = "", rest] = path.split("/");
  const id = rest === undefined || rest === "" ? undefined : safeDecode(rest);
  switch (room) {
    case "chat":
      return id === undefined ? { room: "new" } : { room: "chat", chatId: id };
    case "inbox":
    case "harnesses":
      return { room };
    case "workspaces":
      return { room, workspaceId: id };
    case "settings":
      return { room, section: id };
    default: {
      const folder = new URLSearchParams(query).get("folder");
      return folder ? { room: "new", folder } : { room: "new" };
    }
  }
}

function safeDecode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A stray % in a hand-written address: the part stands for itself.
    return part;
  }
}

export function formatRoute(route: Route): string {
  switch (route.room) {
    case "chat":
      return `#/chat/${encodeURIComponent(route.chatId)}`;
    case "workspaces":
      return route.workspaceId ? `#/workspaces/${encodeURIComponent(route.workspaceId)}` : "#/workspaces";
    case "settings":
      return route.section ? `#/settings/${encodeURIComponent(route.section)}` : "#/settings";
    case "new":
      return route.folder ? `#/new?folder=${encodeURIComponent(route.folder)}` : "#/new";
    default:
      return `#/${route.room}`;
  }
}

export function goTo(route: Route, how: "push" | "replace" = "push"): void {
  const hash = formatRoute(route);
  if (hash === window.location.hash) return;
  if (how === "push") {
    window.location.hash = hash;
    return;
  }
  window.history.replaceState(null, "", hash);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

function listen(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

let lastHash = "\u0000";
let lastRoute: Route = { room: "new" };

function current(): Route {
  const hash = window.location.hash;
  if (hash !== lastHash) {
    lastHash = hash;
    lastRoute = parseRoute(hash);
  }
  return lastRoute;
}

export function useRoute(): Route {
  return useSyncExternalStore(listen, current);
}
