// What a folder would run is said in words, and trusted only by somebody who saw the list.
import { act } from "react";
import { type Root, createRoot } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FolderItem, FolderTrustView } from "../host";
import { TrustCard } from "./FolderTrust";
import { counted, grouped, trustSentence } from "./trust";

const item = (kind: FolderItem["kind"], name: string, detail: string | null = null): FolderItem => ({ kind, name, detail, file: "/w/.claude/settings.json" });
const ITEMS = [item("hook", "Stop", "./a.sh"), item("hook", "Start", "./b\u202e.sh"), item("mcp_server", "issues", "npx issues")];
const view = (over: Partial<FolderTrustView> = {}): FolderTrustView => ({
  harness: "claude", folder: "/w", state: "without", items: ITEMS, digest: "d1", complete: true, ...over,
});

describe("the words about a folder", () => {
  it("count what it brings by kind", () => {
    expect(counted(ITEMS)).toBe("2 hooks, 1 MCP server");
    expect(grouped(ITEMS).map(({ items }) => items.length)).toEqual([2, 1]);
    expect(counted([])).toBe("");
  });

  it("say whether it runs or is left out", () => {
    expect(trustSentence("without", "Claude Code", ITEMS).title).toBe("Left out: 2 hooks, 1 MCP server");
    expect(trustSentence("trusted", "Claude Code", ITEMS).text).toContain("runs it unasked");
    expect(trustSentence("changed", "Claude Code", ITEMS).tone).toBe("warn");
    expect(trustSentence("cannot_leave_out", "Other", []).title).toContain("Other runs whatever");
  });
});

describe("the card of a folder", () => {
  let root: Root;
  let place: HTMLElement;
  const trusted = vi.fn<(digest: string) => void>();
  const distrusted = vi.fn<() => void>();
  beforeEach(() => {
    place = document.body.appendChild(document.createElement("div"));
    root = createRoot(place);
    trusted.mockReset();
    distrusted.mockReset();
  });
  afterEach(async () => {
    await act(async () => root.unmount());
    place.remove();
  });

  const draw = (shown: FolderTrustView) =>
    act(async () => root.render(<TrustCard view={shown} name="Claude Code" busy={false} error={null} onTrust={trusted} onDistrust={distrusted} />));
  const button = (words: string) => [...place.querySelectorAll("button")].find((each) => each.textContent === words);

  it("offers trust only with the list open, and to exactly what was shown", async () => {
    await draw(view());
    expect(button("Trust this content")).toBeUndefined();
    await act(async () => button("Show what it would run")?.click());
    expect(place.textContent).toContain("./a.sh");
    expect(place.textContent).not.toContain("\u202e");
    await act(async () => button("Trust this content")?.click());
    expect(trusted.mock.calls).toEqual([["d1"]]);
  });

  it("does not offer trust in what could not be looked at", async () => {
    await draw(view({ complete: false }));
    await act(async () => button("Show what it would run")?.click());
    expect(button("Trust this content")).toBeUndefined();
    expect(place.textContent).toContain("cannot be trusted");
  });

  it("takes trust back without more ado", async () => {
    await draw(view({ state: "trusted" }));
    await act(async () => button("Run without it")?.click());
    expect(distrusted).toHaveBeenCalledOnce();
  });
});
