// Narrow windows, zoom, wide text spacing, hostile text: nothing overflows sideways, no target is too small.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PLACES } from "./places.mjs";
import { go, open, resize, settled, show } from "./window.mjs";

/** Operable things are at least this wide and high (px), WCAG 2.5.8. */
const LEAST_TARGET = 24;

/** Window sizes: name, width and height in px, zoom. */
const SIZES = [
  ["320", 320, 640, 1],
  ["390", 390, 844, 1],
  ["200 %", 1280, 960, 2],
  ["400 %", 1280, 1024, 4],
  ["900", 900, 700, 1],
  ["1440", 1440, 900, 1],
];

/** WCAG 1.4.12. */
const SPACING = "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }";

let window_;
let looks = 0;
before(async () => {
  window_ = await open();
});
after(async () => {
  await window_?.close();
  console.log(`layout: ${looks} looks`);
});

/** What sticks out of the window sideways, or makes a part of it scroll sideways that should not. */
function sticksOut() {
  const width = document.documentElement.clientWidth;
  const found = [];
  if (document.documentElement.scrollWidth > width) found.push(`the page is ${document.documentElement.scrollWidth} px wide, the window ${width} px`);
  const mayScroll = (element) => element.closest("pre, table, [data-scrolls-sideways], .visually-hidden, [aria-hidden='true']") !== null;
  for (const element of document.querySelectorAll("#root *")) {
    if (mayScroll(element)) continue;
    const style = getComputedStyle(element);
    const name = `${element.tagName.toLowerCase()}.${String(element.className?.baseVal ?? element.className).slice(0, 60)}`;
    if (["auto", "scroll"].includes(style.overflowX) && element.scrollWidth > element.clientWidth + 1) found.push(`${name} scrolls sideways: ${element.scrollWidth} in ${element.clientWidth} px`);
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0 || style.position === "fixed") continue;
    let clipped = false;
    for (let parent = element.parentElement; parent && !clipped; parent = parent.parentElement) clipped = getComputedStyle(parent).overflowX !== "visible" && parent.getBoundingClientRect().right <= width + 1;
    if (!clipped && (box.right > width + 1 || box.left < -1)) found.push(`${name} reaches from ${Math.round(box.left)} to ${Math.round(box.right)} of ${width} px`);
  }
  return [...new Set(found)].slice(0, 6);
}

/** Buttons, tabs and options whose own word is cut off without an ellipsis. */
function clippedLabels() {
  return [...document.querySelectorAll("#root button, #root label, #root h1, #root h2, #root dt")]
    .filter((element) => {
      const style = getComputedStyle(element);
      return style.overflow === "hidden" && style.textOverflow !== "ellipsis" && !element.closest(".visually-hidden") && (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1);
    })
    .map((element) => element.textContent?.slice(0, 60))
    .slice(0, 5);
}

/** The separator of the sidebar is left out: the arrow keys do the same (WCAG 2.5.8, equivalent). */
function smallTargets(least) {
  const operable = "a[href], button, input:not([type=hidden]), textarea, select, summary, [role=button], [role=switch], [role=radio], [role=option], [role=menuitem]";
  return [...document.querySelectorAll(`#root ${operable}`)]
    .filter((element) => element.getClientRects().length > 0 && !element.closest(".visually-hidden") && !element.classList.contains("visually-hidden"))
    .filter((element) => !(element instanceof HTMLAnchorElement && getComputedStyle(element).display === "inline"))
    .filter((element) => !element.hasAttribute("aria-hidden") && !element.closest("[aria-hidden='true']"))
    .map((element) => ({ element, box: (element.closest("label") ?? element).getBoundingClientRect() }))
    .filter(({ box }) => box.width > 1 && (box.width < least - 0.5 || box.height < least - 0.5))
    .map(({ element, box }) => `${element.getAttribute("aria-label") ?? element.textContent?.slice(0, 40)}: ${Math.round(box.width)} × ${Math.round(box.height)}`)
    .slice(0, 6);
}

/** Everything that is wrong in a page as it stands. */
async function wrong(page) {
  return [
    ...(await page.evaluate(sticksOut)),
    ...(await page.evaluate(clippedLabels)).map((each) => `cut label "${each}"`),
    ...(await page.evaluate(smallTargets, LEAST_TARGET)).map((each) => `small target ${each}`),
  ];
}

/** What sticks out when the text is spaced widely; the page is as before afterwards. */
async function wrongWhenSpaced(page) {
  const style = await page.addStyleTag({ content: SPACING });
  await settled(page);
  const found = await page.evaluate(sticksOut);
  await style.evaluate((element) => element.remove());
  return found.map((each) => `with text spacing: ${each}`);
}

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
