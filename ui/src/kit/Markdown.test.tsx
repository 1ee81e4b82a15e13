import { act } from "@testing-library/react";
import { type Root, createRoot } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Markdown } from "./Markdown";
import { LinkGate, linkTarget } from "./MarkdownLink";

let host: HTMLElement;
let root: Root;
const opened = vi.fn();

beforeEach(() => {
  host = document.createElement("div");
  document.body.append(host);
  root = createRoot(host);
  opened.mockReset();
});
afterEach(() => {
  act(() => root.unmount());
  host.remove();
});

async function draw(text: string, streaming = false) {
  await act(async () => {
    root.render(
      <LinkGate open={opened}>
        <Markdown text={text} streaming={streaming} />
      </LinkGate>,
    );
  });
  await act(async () => {});
}

describe("Markdown from a model", () => {
  it("shows raw HTML as text and never makes an element of it", async () => {
    await draw('<img src=x onerror="window.__p=1">\n\nhi <script>window.__p=1</script> <svg onload=alert(1)>\n\n<div style="x"><b>bold</b></div>\n\n<math><mtext><style><img src=x></style></mtext></math>');
    expect(host.querySelector("img, script, svg[onload], b, math, style, iframe")).toBeNull();
    expect(host.textContent).toContain('<img src=x onerror="window.__p=1">');
    expect((window as unknown as { __p?: number }).__p).toBeUndefined();
  });

  it("fetches no picture and shows where it would come from", async () => {
    await draw("![a map](https://tracker.example/p.png?id=1)");
    expect(host.querySelector("img, link, picture")).toBeNull();
    expect(document.head.querySelector('link[rel="preload"]')).toBeNull();
    expect(host.textContent).toContain("a map");
    expect(host.textContent).toContain("tracker.example");
  });

  it("keeps javascript:, file:, data: and relative links inert and shows their target", async () => {
    await draw("[go](javascript:alert(1)) [f](file:///etc/passwd) [d](data:text/html,x) [r](./src/a.rs) <javascript:x>");
    expect(host.querySelectorAll("a, button[role=link]")).toHaveLength(0);
    expect(host.textContent).toContain("(file:///etc/passwd)");
  });

  it("opens a link only after showing its true target", async () => {
    await draw("[https://bank.example](https://user@evil.example/\u202egnp)");
    const link = host.querySelector<HTMLButtonElement>("button[role=link]");
    expect(link).not.toBeNull();
    await act(async () => link?.click());
    expect(opened).not.toHaveBeenCalled();
    const dialog = document.querySelector('[role="alertdialog"]');
    expect(dialog?.textContent).toContain("evil.example");
    expect(dialog?.textContent).toContain("user name");
    const open = [...document.querySelectorAll<HTMLButtonElement>('[role="alertdialog"] button')].find((b) => b.textContent === "Open page");
    await act(async () => open?.click());
    expect(opened).toHaveBeenCalledTimes(1);
    expect(opened.mock.calls[0]?.[0]).toMatch(/^https:\/\/user@evil\.example\//);
  });

  it("names international hosts in their ASCII form", () => {
    expect(linkTarget("https://аpple.com/")?.host).toBe("xn--pple-43d.com");
  });

  it("spells out direction overrides", async () => {
    await draw("file \u202egnp.exe");
    expect(host.textContent).toContain("U+202E");
    expect(host.textContent).not.toContain("\u202e");
  });

  it("renders code, tables, tasks; code text is exact", async () => {
    await draw("```rust\nfn a() {}\n\n  <b>\n```\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n");
    expect(host.querySelector("pre code")?.textContent).toBe("fn a() {}\n\n  <b>");
    expect(host.querySelectorAll("td")).toHaveLength(2);
    expect(host.querySelectorAll('[role="img"]')).toHaveLength(2);
    expect(host.querySelector("img")).toBeNull();
  });

  it("keeps finished blocks untouched while the last one grows", async () => {
    await draw("First block.\n\nSecond", true);
    const first = host.querySelector("p");
    await draw("First block.\n\nSecond grows and grows", true);
    await act(async () => new Promise((resolve) => setTimeout(resolve, 120)));
    expect(host.querySelector("p")).toBe(first);
    expect(host.textContent).toContain("grows and grows");
  });
});
