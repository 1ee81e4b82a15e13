// Narrow windows, zoom, wide text spacing, hostile text: nothing overflows sideways, no target is too small.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { wrong, wrongWhenSpaced } from "./fits.mjs";
import { PLACES } from "./places.mjs";
import { go, open, resize, show } from "./window.mjs";

/** Window sizes: name, width and height in px, zoom. */
const SIZES = [
  ["320", 320, 640, 1],
  ["390", 390, 844, 1],
  ["200 %", 1280, 960, 2],
  ["400 %", 1280, 1024, 4],
  ["900", 900, 700, 1],
  ["1440", 1440, 900, 1],
];

let window_;
let looks = 0;
before(async () => {
  window_ = await open();
});
after(async () => {
  await window_?.close();
  console.log(`layout: ${looks} looks`);
});

// One page a room and scene: it goes from place to place, and through all sizes at each.
for (const [room, hashes] of Object.entries(PLACES)) {
  for (const scene of ["hostile", "two-decisions"]) {
    test(`${room} · ${scene}`, async () => {
      const found = [];
      const { page } = await show(window_, { hash: hashes[0], scene, width: SIZES[0][1], height: SIZES[0][2] });
      for (const hash of hashes) {
        await go(page, hash);
        for (const [name, width, height, zoom] of SIZES) {
          await resize(page, width, height, zoom);
          found.push(...(await wrong(page)).map((each) => `${hash} ${name}: ${each}`));
          if (zoom === 1 && width <= 390) found.push(...(await wrongWhenSpaced(page)).map((each) => `${hash} ${name} ${each}`));
          looks += 1;
        }
      }
      await page.close();
      assert.deepEqual(found, []);
    });
  }
}

test("an open decision leaves room for the conversation and the composer", async () => {
  for (const scene of ["hostile", "two-decisions"]) {
    const { page } = await show(window_, { hash: "#/chat/c-needs", scene, width: 390, height: 844 });
    const boxes = await page.evaluate(() =>
      Object.fromEntries(["transcript", "decision-card", "allow-once", "deny", "composer", "send"].map((id) => [id, document.querySelector(`#main [data-testid="${id}"]`)?.getBoundingClientRect().toJSON()])),
    );
    for (const [id, box] of Object.entries(boxes)) {
      assert.ok(box && box.height > 0, `${scene}: no ${id}`);
      assert.ok(box.top >= 0 && box.bottom <= 844, `${scene}: ${id} reaches from ${box.top} to ${box.bottom}`);
    }
    assert.ok(boxes.transcript.height >= 64, `${scene}: the conversation has ${boxes.transcript.height} px`);
    assert.ok(boxes.transcript.bottom <= boxes["decision-card"].top, `${scene}: the card covers the conversation`);
    assert.ok(boxes["decision-card"].bottom <= boxes.composer.top, `${scene}: the card covers the composer`);
    assert.ok(boxes.deny.bottom <= boxes["decision-card"].bottom, `${scene}: the answers are cut off`);
    await page.close();
  }
});

test("with reduced motion nothing moves while a turn streams", async () => {
  const { page } = await show(window_, { hash: "#/chat/c-work", scene: "streaming" });
  const moving = await page.evaluate(() => document.getAnimations().filter((animation) => animation.playState === "running" && (animation.effect?.getComputedTiming().duration ?? 0) > 0).length);
  assert.equal(moving, 0);
  await page.close();
});

test("nothing flashes: the first bytes carry the ground of the theme", async () => {
  for (const [theme, ground] of [["light", "rgb(252, 252, 251)"], ["dark", "rgb(24, 25, 23)"]]) {
    const page = await window_.context.newPage();
    await page.emulateMedia({ colorScheme: theme });
    await page.route(/\.(js|css)(\?|$)/, (route) => route.abort());
    await page.goto(`${window_.base}/?scene=busy`, { waitUntil: "commit" });
    await page.locator("html").waitFor({ state: "attached" });
    assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor), ground);
    await page.close();
  }
});

test("the shell stands before the host has answered anything", async () => {
  const { page } = await show(window_, { hash: "#/workspaces", scene: "silent" });
  await page.getByRole("link", { name: "Settings" }).waitFor();
  await page.getByRole("status", { name: "Loading chats" }).waitFor();
  assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "Workspaces");
  await page.close();
});

test("forced colours keep the marks of states apart", async () => {
  const { page } = await show(window_, { hash: "#/workspaces", forced: "active" });
  const glyphs = await page.evaluate(() => [...document.querySelectorAll("[data-glyph]")].map((glyph) => ({ state: glyph.getAttribute("data-glyph"), shape: glyph.innerHTML })));
  const shapes = new Map(glyphs.map(({ state, shape }) => [state, shape]));
  assert.equal(shapes.size, 7);
  assert.equal(new Set(shapes.values()).size, 7);
  await page.close();
});
