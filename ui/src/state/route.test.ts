import { describe, expect, it } from "vitest";
import { formatRoute, parseRoute, ROOMS, type Route } from "./route";

const SAMPLES: Route[] = [
  { room: "new" },
  { room: "new", folder: "/home/ada/böse & gute/#1?" },
  { room: "chat", chatId: "c-1/2 %" },
  { room: "inbox" },
  { room: "harnesses" },
  { room: "workspaces" },
  { room: "workspaces", workspaceId: "/srv/日本 語" },
  { room: "settings" },
  { room: "settings", section: "limits" },
];

describe("routes", () => {
  it("come back from the address as they went in", () => {
    for (const route of SAMPLES) expect(parseRoute(formatRoute(route))).toEqual(route);
  });

  it("have a sample for every room", () => {
    expect(new Set(SAMPLES.map(({ room }) => room))).toEqual(new Set(ROOMS));
  });

  it("lead to a new chat from an address that is none", () => {
    for (const hash of ["", "#", "#/", "#/nowhere", "#/chat", "#/chat/"]) expect(parseRoute(hash).room).toBe("new");
    expect(parseRoute("#/chat/%E0%A4%A")).toEqual({ room: "chat", chatId: "%E0%A4%A" });
  });
});
