// Pictures of named states × light and dark × three widths, on one sheet. Look at it before you hand it on.
import assert from "node:assert/strict";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { drawn, open, resize, settled, show, UI } from "./window.mjs";

const FOLDER = join(UI, "tests/chromium/baselines");
const SHEET = join(FOLDER, "contact-sheet.png");
/** The sheet stays small enough to be committed (bytes). */
const MOST_BYTES = 2 * 1024 * 1024;

/** Name, place, scene, and what is done first. */
const STATES = [
  ["chat that needs you", "#/chat/c-needs", "busy"],
  ["chat that works", "#/chat/c-work", "busy"],
  ["chat that streams", "#/chat/c-work", "streaming"],
  ["failed chat", "#/chat/c-failed", "busy"],
  ["two decisions", "#/chat/c-quiet", "two-decisions"],
  ["chat with hostile text", "#/chat/c-needs", "hostile"],
  ["practice", "#/chat/c-needs", "practice"],
  ["inbox", "#/inbox", "two-decisions"],
  ["empty inbox", "#/inbox", "empty"],
  ["new chat", "#/new?folder=%2Fhome%2Fada%2Fwork%2Fatlas", "busy"],
  ["new chat, folders", "#/new", "busy"],
  ["harnesses", "#/harnesses", "busy"],
  ["harness not found", "#/harnesses", "not-found"],
  ["signed out", "#/harnesses", "signed-out"],
  ["workspaces", "#/workspaces", "busy"],
  ["one workspace", "#/workspaces/%2Fhome%2Fada%2Fwork%2Fatlas", "busy"],
  ["settings", "#/settings", "busy"],
  ["first start", "#/new", "empty"],
  ["before any answer", "#/workspaces", "silent"],
  ["store unreadable", "#/workspaces", "error"],
  ["quitting", "#/settings", "quit"],
  ["hostile text", "#/workspaces", "hostile"],
  ["find a chat", "#/settings", "busy", async (page) => page.keyboard.press("Control+k")],
];
const WIDTHS = [[390, 844], [900, 700], [1440, 900]];

let window_;
before(async () => {
  window_ = await open();
});
after(() => window_?.close());

test("the contact sheet", { timeout: 600_000 }, async () => {
  await mkdir(FOLDER, { recursive: true });
  const pictures = [];
  for (const [name, hash, scene, first] of STATES) {
    const { page, problems } = await show(window_, { hash, scene, width: WIDTHS[0][0], height: WIDTHS[0][1] });
    if (first) {
      await first(page);
      await settled(page);
    }
    for (const [width, height] of WIDTHS) {
      await resize(page, width, height);
      for (const theme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme: theme });
        await drawn(page);
        pictures.push({ name, theme, width, data: (await page.screenshot({ type: "jpeg", quality: 82, scale: "css" })).toString("base64") });
      }
    }
    assert.deepEqual(problems, [], name);
    await page.close();
  }
  assert.equal(pictures.length, STATES.length * 2 * WIDTHS.length);
  await writeFile(SHEET, await sheetOf(pictures));
  const { size } = await stat(SHEET);
  assert.ok(size < MOST_BYTES, `the sheet has ${size} bytes, at most ${MOST_BYTES}`);
  console.log(`sheet: ${pictures.length} pictures, ${Math.round(size / 1024)} KiB`);
});

/** One row a state: light and dark, each in three widths. */
async function sheetOf(pictures) {
  const page = await window_.context.newPage();
  await page.setViewportSize({ width: 1170, height: 900 });
  const rows = STATES.map(([name]) => {
    const own = pictures.filter((picture) => picture.name === name);
    const images = ["light", "dark"].flatMap((theme) => own.filter((picture) => picture.theme === theme)).map(({ data }) => `<img src="data:image/jpeg;base64,${data}">`);
    return `<section><h2>${name}</h2><div>${images.join("")}</div></section>`;
  });
  await page.setContent(`<!doctype html><style>body{margin:12px;font:12px sans-serif;background:#777;color:#fff}h2{font-size:12px;margin:8px 0 4px}div{display:flex;gap:8px;align-items:flex-start}img{height:165px;display:block}</style>${rows.join("")}`);
  await page.waitForFunction(() => [...document.images].every(({ complete }) => complete));
  const sheet = await page.screenshot({ fullPage: true, type: "png" });
  await page.close();
  return sheet;
}
