// The rules themselves: each must find what it forbids.
import stylelint from "stylelint";
import { describe, expect, it } from "vitest";
import { broken, importsOf } from "./walls.mjs";

describe("import walls", () => {
  it.each([
    ["src/features/chat/index.ts", "@tauri-apps/api/core"],
    ["src/kit/Button.tsx", "src/state/live.ts"],
    ["src/host/feed.ts", "src/state/live.ts"],
    ["src/state/live.ts", "src/features/chat/index.ts"],
    ["src/features/chat/ChatPane.tsx", "src/app/App.tsx"],
    ["src/prompt/FileStrip.tsx", "src/features/composer/index.ts"],
    ["src/kit/Button.tsx", "src/prompt/FileStrip.tsx"],
    ["src/features/chat/ChatPane.tsx", "src/features/composer/index.ts"],
    ["src/app/App.tsx", "src/features/chat/ChatView.tsx"],
    ["src/state/live.ts", "src/host/mock/bridge.ts"],
  ])("stand between %s and %s", (from, to) => expect(broken(from, to)).toHaveLength(1));

  it.each([
    ["src/host/bridge.ts", "@tauri-apps/api/core"],
    ["src/features/chat/ChatPane.tsx", "src/features/chat/ChatView.tsx"],
    ["src/features/chat/ChatPane.tsx", "src/kit/Button.tsx"],
    ["src/features/chat/rows/Prompt.tsx", "src/prompt/index.ts"],
    ["src/app/App.tsx", "src/features/chat/index.ts"],
    ["src/state/live.test.ts", "src/host/mock/bridge.ts"],
  ])("let %s take %s", (from, to) => expect(broken(from, to)).toEqual([]));

  it("see every way to name a module", () => {
    const text = 'import a from "./a"; import type { B } from "./b"; export * from "./c"; export { d } from "./d"; const e = () => import("./e"); new Worker(new URL("./f.ts", import.meta.url));';
    const { names, workers, errors } = importsOf("x.ts", text);
    expect(errors).toEqual([]);
    expect(names.sort()).toEqual(["./a", "./b", "./c", "./d", "./e"]);
    expect(workers).toEqual(["./f.ts"]);
  });
});

describe("style tokens", () => {
  const look = async (declaration) => (await stylelint.lint({ code: `.a { ${declaration}; }`, codeFilename: "src/kit/A.module.css" })).results[0].warnings.length;

  it.each(["color: #123456", "background: rgb(1 2 3)", "padding: 7px", "margin: var(--s-2) 3px", "font-size: 13px", "border-radius: 5px", "z-index: 10", "gap: 0.45rem", "font-weight: 700", "color: var(--s-2)", "box-shadow: 0 2px 3px var(--c-line)", "width: 1px !important"])(
    "forbid %s",
    async (declaration) => expect(await look(declaration)).toBeGreaterThan(0),
  );

  it.each(["color: var(--c-text)", "padding: var(--s-2) var(--s-4)", "border: 1px solid var(--c-line)", "margin: 0 auto", "background: transparent", "padding: calc(var(--s-2) * 2)", "outline-color: Highlight", "padding-left: 1.5em"])(
    "allow %s",
    async (declaration) => expect(await look(declaration)).toBe(0),
  );
});
