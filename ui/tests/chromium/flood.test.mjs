// A model that writes without an end: what is drawn again at each step, and what is in the page, stays small.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open, show } from "./window.mjs";

/** Characters of one piece at most, as the window cuts them. */
const MOST_PIECE_CHARS = 4_000;
/** Pieces that may be drawn again at once: the last one, and the one before as it is settled. */
const MOST_REDRAWN = 2;
/** Elements that the page has at most, whatever the length of the text. */
const MOST_ELEMENTS = 4_000;
/** Pieces of a flood, and how many come at once. */
const PIECES = 2_000;
const AT_ONCE = 50;

let window_;
before(async () => {
  window_ = await open();
});
after(() => window_?.close());

/** Counts which pieces of the text that were there before are changed from one drawing to the next. */
function watch() {
  const seen = { steps: 0, mostRedrawn: 0, mostChars: 0, others: 0 };
  let known = new Set(document.querySelectorAll("main [data-piece]"));
  new MutationObserver((records) => {
    const redrawn = new Set();
    for (const { target } of records) {
      const element = target instanceof Element ? target : target.parentElement;
      const piece = element?.closest("[data-piece]");
      if (piece && known.has(piece) && piece.isConnected) redrawn.add(piece);
      const row = element?.closest("[data-row]");
      if (row && !row.nextElementSibling && row.getAttribute("data-row") !== "text:c-work-t1:flood:0") seen.others += 1;
    }
    seen.steps += redrawn.size > 0 ? 1 : 0;
    seen.mostRedrawn = Math.max(seen.mostRedrawn, redrawn.size);
    for (const piece of redrawn) seen.mostChars = Math.max(seen.mostChars, piece.textContent.length);
    known = new Set(document.querySelectorAll("main [data-piece]"));
  }).observe(document.querySelector("[data-testid=transcript]"), { subtree: true, childList: true, characterData: true });
  globalThis.seen = seen;
}

/** Sends a flood into the chat on screen, a batch a drawing. */
async function flood({ count, atOnce, text, first, message = "flood" }) {
  for (let sent = 0; sent < count; sent += atOnce) {
    const items = Array.from({ length: atOnce }, (_, at) => {
      const seq = first + sent + at;
      return { item: "event", chat: "c-work", from_seq: seq, event: { seq, at: Date.now(), turn: "c-work-t1", body: { kind: "turn", event: { type: "text_delta", message_id: message, block: 0, text: text.replace("#", String(seq)), task_id: null } } } };
    });
    globalThis.paddockScript.push(...items);
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  await new Promise((resolve) => setTimeout(resolve, 700));
}

const last = (page) => page.evaluate(() => [...document.querySelectorAll("main [data-row]")].at(-1)?.dataset.sequence);

for (const [name, text] of [
  ["one paragraph that never ends", "The flood goes on and on, line after line.\n"],
  ["one line that never ends", "word# "],
  ["paragraphs with marks", "Some **bold** and `code` at #.\n\n"],
  ["one list", "- item # with *words*\n"],
]) {
  test(`only the end is drawn again: ${name}`, async () => {
    const { page, problems } = await show(window_, { hash: "#/chat/c-work", clock: false });
    await page.evaluate(watch);
    await page.evaluate(flood, { count: PIECES, atOnce: AT_ONCE, text, first: 12 });
    const found = await page.evaluate(() => ({ ...globalThis.seen, elements: document.querySelectorAll("*").length, batches: globalThis.paddockScript.acknowledged.at(-1) }));
    assert.ok(found.steps > 5, `drawn in ${found.steps} steps`);
    assert.ok(found.mostRedrawn <= MOST_REDRAWN, `${found.mostRedrawn} pieces were drawn again at once`);
    assert.ok(found.mostChars <= MOST_PIECE_CHARS + 100, `a piece of ${found.mostChars} characters was drawn again`);
    assert.ok(found.elements <= MOST_ELEMENTS, `${found.elements} elements in the page`);
    assert.ok(found.batches >= PIECES / AT_ONCE, `${found.batches} batches are acknowledged`);
    assert.equal(await last(page), String(11 + PIECES));
    assert.deepEqual(problems, []);
    await page.close();
  });
}

test("code that never ends is put behind what is there", async () => {
  const { page } = await show(window_, { hash: "#/chat/c-work", clock: false });
  await page.evaluate(flood, { count: 1, atOnce: 1, text: "```ts\n", first: 12 });
  await page.evaluate(flood, { count: 2_000, atOnce: AT_ONCE, text: "const a# = 1;\n", first: 13 });
  const drawn = (text) => page.waitForFunction((end) => document.querySelector("[data-testid=transcript]").textContent.includes(end), text);
  await drawn("const a2012 = 1;");
  const first = await page.evaluateHandle(() => [...document.querySelectorAll("main [data-row]")].at(-1).querySelector("[data-piece=code] code > *"));
  await page.evaluate(flood, { count: 400, atOnce: AT_ONCE, text: "const b# = 2;\n", first: 2_013 });
  await drawn("const b2412 = 2;");
  const found = await first.evaluate((part) => [part.isConnected, (part.textContent.match(/\n/g) ?? []).length]);
  assert.deepEqual(found, [true, 200], "the first lines stay as they are");
  await page.close();
});

test("Stop is taken while the flood goes on", async () => {
  const { page } = await show(window_, { hash: "#/chat/c-work", clock: false });
  const flooding = page.evaluate(flood, { count: 2_000, atOnce: AT_ONCE, text: "The flood goes on and on, line after line.\n", first: 12 });
  await page.getByTestId("stop").click();
  await page.getByTestId("stop").waitFor({ state: "detached" });
  await flooding;
  await page.close();
});

