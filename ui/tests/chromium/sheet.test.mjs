// Pictures of named states × light and dark × three widths, each compared with the one that is kept. A difference fails,
// and the picture and the difference are written beside it. `npm run baselines -w ui` keeps new ones, with a sheet of all
// of them to look at.
import assert from "node:assert/strict";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { after, before, test } from "node:test";
import { difference, read, small } from "./pictures.mjs";
import { drawn, open, resize, settled, show, UI, WAIT_MS } from "./window.mjs";

const KEPT = join(UI, "tests/chromium/baselines");
const SHEET = join(KEPT, "contact-sheet.png");
/** Where a picture that differs goes, with its difference. */
const FOUND = join(UI, "tests/chromium/.artifacts");
const UPDATE = process.argv.includes("--update");

/** Share of the pixels that may differ: less than a word of text at the smallest size. */
const MOST_DIFFERENT = 0.0005;
/** All kept pictures together stay small enough to be committed (bytes). */
const MOST_BYTES = 6 * 1024 * 1024;

/** How long one picture may take on a busy computer (ms). */
const PICTURE_MS = 60_000;

const WIDTHS = [[390, 844], [900, 700], [1440, 900]];

const streamed = (page) => page.waitForFunction(() => document.querySelector("#main [data-row^='text:c-work-t2']")?.textContent?.endsWith("Shall I?"), undefined, { timeout: WAIT_MS });
const overtaken = (page) => page.evaluate(() => globalThis.paddockScript.overtake("d-1", "expired"));

const toPrompt = (page) => page.keyboard.press("Alt+ArrowUp");
const forking = async (page) => {
  await page.getByRole("button", { name: "More about this chat" }).click();
  await page.getByRole("menuitem", { name: "Fork this chat…" }).click();
  await page.getByTestId("fork-prompt").fill("Leave the second effect out, and measure both on the phone");
  await page.mouse.move(0, 0);
};
const askBySchema = async (page) => {
  await page.getByRole("button", { name: "Answer by a schema", exact: true }).click();
  await page.getByRole("button", { name: "Yes or no, with reason" }).click();
  await page.mouse.move(0, 0);
};
const refused = async (page) => {
  await askBySchema(page);
  await page.getByRole("button", { name: "Ask by this schema" }).click();
  await page.mouse.move(0, 0);
  await page.getByTestId("attach-input").setInputFiles([{ name: "broken scan.png", mimeType: "image/png", buffer: Buffer.from("x") }]);
  await page.getByTestId("attachments").getByRole("alert").waitFor();
};

/** Name, place, scene, and what is done first. Letters that no bundled font has look different elsewhere: not compared. */
const STATES = [
  ["chat that needs you", "#/chat/c-needs", "busy"],
  ["chat that works", "#/chat/c-work", "busy"],
  ["chat that streams", "#/chat/c-work", "streaming", streamed],
  ["failed chat", "#/chat/c-failed", "busy"],
  ["cut off by a restart", "#/chat/c-done", "cut-off"],
  ["two decisions", "#/chat/c-quiet", "two-decisions"],
  ["decision that expired", "#/chat/c-needs", "busy", overtaken],
  ["chat with hostile text", "#/chat/c-needs", "hostile", null, "not compared"],
  ["practice", "#/chat/c-needs", "practice"],
  ["composer with three files", "#/chat/c-done", "files"],
  ["file refused, schema asked", "#/chat/c-done", "files", refused],
  ["files sent as paths", "#/chat/c-done", "no-pictures"],
  ["message with files waits", "#/chat/c-work", "files"],
  ["prompt with files", "#/chat/c-read-2", "files", toPrompt],
  ["structured answer", "#/chat/c-read-2", "files"],
  ["schema of an answer", "#/chat/c-read-2", "files", askBySchema],
  ["fork a chat", "#/chat/c-read-1", "files", forking],
  ["new chat with files", "#/new?folder=%2Fhome%2Fada%2Fwork%2Fatlas", "files"],
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
  ["hostile text", "#/workspaces", "hostile", null, "not compared"],
  ["find a chat", "#/settings", "busy", (page) => page.keyboard.press("Control+k")],
];

const slug = (name) => name.replace(/[^a-z0-9]+/g, "-");
const pictures = [];

let window_;
before(async () => {
  window_ = await open();
  await rm(FOUND, { recursive: true, force: true });
  await mkdir(KEPT, { recursive: true });
});
after(() => window_?.close());

for (const [name, hash, scene, first, notCompared] of STATES) {
  test(`looks as it is kept: ${name}`, async () => {
    const { page, problems } = await show(window_, { hash, scene, width: WIDTHS[0][0], height: WIDTHS[0][1], fresh: true });
    if (first) {
      await first(page);
      await settled(page);
    }
    const different = [];
    for (const [width, height] of WIDTHS) {
      await resize(page, width, height);
      // Colours of code come from a worker.
      await page.waitForFunction(() => !document.querySelector("[data-colouring]"), undefined, { timeout: WAIT_MS });
      for (const theme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme: theme });
        await drawn(page);
        const bytes = await page.screenshot({ type: "png", scale: "css", timeout: PICTURE_MS });
        const file = `${slug(name)}-${width}-${theme}.png`;
        if (UPDATE) pictures.push({ name, theme, bytes });
        if (!notCompared) different.push(...(await compare(file, bytes)));
      }
    }
    await page.close();
    assert.deepEqual(problems, []);
    assert.deepEqual(different, [], `looks different; see ${FOUND}`);
  });
}

/** Compares a picture with the kept one, or keeps it. */
async function compare(file, bytes) {
  const picture = read(bytes);
  const path = join(KEPT, file);
  const kept = await readFile(path).catch((error) => (error.code === "ENOENT" ? null : Promise.reject(error)));
  const found = kept ? difference(read(kept), picture) : null;
  if (found && found.share <= MOST_DIFFERENT) return [];
  if (UPDATE) {
    await writeFile(path, small(picture));
    return [];
  }
  await mkdir(FOUND, { recursive: true });
  await writeFile(join(FOUND, file), bytes);
  if (found?.picture) await writeFile(join(FOUND, file.replace(/\.png$/, "-difference.png")), found.picture);
  return [found ? `${file}: ${(found.share * 100).toFixed(2)} % of the pixels` : `${file}: none is kept`];
}

test("nothing is kept that no state makes, and all of it stays small", async () => {
  const made = new Set(STATES.filter(([, , , , notCompared]) => !notCompared).flatMap(([name]) => WIDTHS.flatMap(([width]) => ["light", "dark"].map((theme) => `${slug(name)}-${width}-${theme}.png`))));
  if (UPDATE) {
    for (const file of await readdir(KEPT)) if (!made.has(file)) await rm(join(KEPT, file));
    await writeFile(SHEET, small(read(await sheetOf(pictures))));
  }
  const kept = (await readdir(KEPT)).filter((file) => join(KEPT, file) !== SHEET);
  assert.deepEqual(kept.sort(), [...made].sort());
  const sizes = await Promise.all([...kept, "contact-sheet.png"].map(async (file) => (await readFile(join(KEPT, file))).length));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(bytes < MOST_BYTES, `the kept pictures have ${bytes} bytes, at most ${MOST_BYTES}`);
  console.log(`sheet: ${kept.length} pictures, ${Math.round(bytes / 1024)} KiB`);
});

test("a picture that differs is found, and one that does not is not", () => {
  const size = { width: 40, height: 40 };
  const grey = (data) => ({ ...size, data });
  const plain = Buffer.alloc(40 * 40 * 4, 200);
  const marked = Buffer.from(plain);
  for (let y = 0; y < 12; y += 1) for (let x = 0; x < 12; x += 1) marked.set([20, 20, 20, 255], (y * 40 + x) * 4);
  assert.ok(difference(grey(plain), grey(marked)).share > 0.05);
  assert.equal(difference(read(small(grey(marked))), grey(marked)).share, 0);
  assert.equal(difference(grey(plain), { ...grey(plain), width: 20 }).share, 1);
});

/** One row a state: light and dark, each in three widths. */
async function sheetOf(all) {
  const page = await window_.context.newPage();
  await page.setViewportSize({ width: 1170, height: 900 });
  const rows = STATES.map(([name]) => {
    const own = all.filter((picture) => picture.name === name);
    const images = ["light", "dark"].flatMap((theme) => own.filter((picture) => picture.theme === theme)).map(({ bytes }) => `<img src="data:image/png;base64,${bytes.toString("base64")}">`);
    return `<section><h2>${name}</h2><div>${images.join("")}</div></section>`;
  });
  await page.setContent(`<!doctype html><style>body{margin:12px;font:12px sans-serif;background:#777;color:#fff}h2{font-size:12px;margin:8px 0 4px}div{display:flex;gap:8px;align-items:flex-start}img{height:165px;display:block}</style>${rows.join("")}`);
  await page.waitForFunction(() => [...document.images].every(({ complete }) => complete));
  const sheet = await page.screenshot({ fullPage: true, type: "png" });
  await page.close();
  return sheet;
}
