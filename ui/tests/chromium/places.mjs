// Every place of the window, and the scenes in which it is looked at. A room that is missing here fails the run.
export const PLACES = {
  new: ["#/new", "#/new?folder=%2Fhome%2Fada%2Fwork%2Fatlas"],
  chat: ["#/chat/c-needs", "#/chat/c-work", "#/chat/c-failed", "#/chat/c-done", "#/chat/gone"],
  inbox: ["#/inbox"],
  harnesses: ["#/harnesses"],
  workspaces: ["#/workspaces", "#/workspaces/%2Fhome%2Fada%2Fwork%2Fatlas"],
  settings: ["#/settings"],
};

/** Scenes in which each place is checked. */
export const SCENES = ["busy", "empty", "streaming", "two-decisions", "error", "huge", "hostile"];

/** Scenes that change one room only. */
export const ROOM_SCENES = { harnesses: ["not-found", "no-node", "signed-out", "probing"], chat: ["practice", "cut-off", "files", "no-pictures"], new: ["silent", "not-found", "quit", "files"] };
