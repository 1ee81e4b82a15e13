import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { STATE_ORDER } from "../kit/State";
import { byFolder, byState, nameOf, parentOf, READ_SHOWN, search, shownChats, STATES, tilde, windowTitle, worst, type ChatRow } from "./sidebar";

const chat = (over: Partial<ChatRow>): ChatRow => ({
  id: "a",
  title: "Title",
  workspace: "w1",
  folder: "/srv/api",
  harness: "claude",
  state: "read",
  since: 0,
  decisions: 0,
  practice: false,
  ...over,
});

const anyChat = fc.record({
  id: fc.uuid(),
  title: fc.string(),
  workspace: fc.constantFrom("a", "c", "d"),
  folder: fc.constant("/x"),
  harness: fc.constant("claude"),
  state: fc.constantFrom(...STATES),
  since: fc.nat(),
  decisions: fc.nat(3),
  practice: fc.boolean(),
});

describe("the order of the sidebar", () => {
  it("is the order in which states are drawn", () => expect(STATES).toEqual(STATE_ORDER));

  it("never puts a milder state above a worse one", () => {
    fc.assert(
      fc.property(fc.array(anyChat), (chats) => {
        const ranks = [...chats].sort(byState).map(({ state }) => STATES.indexOf(state));
        expect(ranks).toEqual([...ranks].sort((left, right) => left - right));
      }),
    );
  });

  it("does not depend on the order of arrival", () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyChat, { selector: ({ id }) => id }), (chats) => {
        expect([...chats].reverse().sort(byState)).toEqual([...chats].sort(byState));
      }),
    );
  });

  it("has who waits longest first, and otherwise the latest first", () => {
    const rows = [chat({ id: "1", state: "needs", since: 9 }), chat({ id: "2", state: "needs", since: 4 }), chat({ id: "3", since: 4 }), chat({ id: "4", since: 9 })];
    expect(rows.sort(byState).map(({ id }) => id)).toEqual(["2", "1", "4", "3"]);
  });

  it("loses no chat and shows a folder without chats", () => {
    fc.assert(
      fc.property(fc.array(anyChat), (chats) => {
        const rows = byFolder(chats, [{ id: "w", path: "/empty" }]);
        expect(rows.flatMap((row) => row.chats)).toHaveLength(chats.length);
        expect(rows.some(({ folder }) => folder === "/empty")).toBe(true);
      }),
    );
  });

  it("puts the folder with the worst chat on top", () => {
    const rows = byFolder([chat({ workspace: "a", folder: "/a" }), chat({ workspace: "z", folder: "/z", state: "needs" })], []);
    expect(rows.map(({ folder }) => folder)).toEqual(["/z", "/a"]);
    expect(worst([])).toBe("read");
  });
});

describe("what is shown", () => {
  it("hides only read chats, and never the open one", () => {
    const chats = Array.from({ length: 20 }, (_, at) => chat({ id: `${at}`, since: -at, state: at === 19 ? "done" : "read" }));
    const row = { id: "w", folder: "/srv/api", chats: chats.sort(byState) };
    const shown = shownChats(row, false, "18");
    expect(shown).toHaveLength(READ_SHOWN + 2);
    expect(shown.map(({ id }) => id)).toEqual(expect.arrayContaining(["18", "19"]));
    expect(shownChats(row, true, undefined)).toHaveLength(20);
  });

  it("finds by every word in title and folder", () => {
    const chats = [chat({ id: "1", title: "Fix the login page" }), chat({ id: "2", title: "Login", folder: "/srv/web" })];
    expect(search(chats, "LOGIN web").map(({ id }) => id)).toEqual(["2"]);
    expect(search(chats, "  ")).toHaveLength(2);
  });
});

describe("names", () => {
  it("of folders", () => {
    expect([nameOf("/srv/api/"), nameOf("/"), nameOf("C:\\work\\x")]).toEqual(["api", "/", "x"]);
    expect(parentOf("/home/ada/api", "/home/ada")).toBe("~");
    expect(parentOf("/api")).toBe("/");
    expect(tilde("/home/adam", "/home/ada")).toBe("/home/adam");
  });

  it("of the window", () => {
    expect(windowTitle(0, "")).toBe("Paddock");
    expect(windowTitle(2, "Inbox")).toBe("(2) Inbox – Paddock");
  });
});
