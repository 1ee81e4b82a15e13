// A chat as a person uses it: what is announced, where the focus goes, that the reader's place stays, and how it is set.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { drawn, open, resize, settled, show } from "./window.mjs";

/** Announcements of one turn at most. */
const MOST_ANNOUNCEMENTS = 3;
/** How far a row that is read may move while others come (px). */
const MOST_MOVED = 1;

let window_;
before(async () => {
  window_ = await open();
});
after(() => window_?.close());

/** Notes every text that a live region of the page takes on. */
function listen() {
  globalThis.told = [];
  const live = (node) => (node instanceof Element ? node : node.parentElement)?.closest("[aria-live]:not([aria-live=off]), [role=status], [role=alert], [role=log]");
  new MutationObserver((records) => {
    const spoken = new Set(records.map(({ target }) => live(target)).filter((region) => region?.isConnected));
    for (const { addedNodes } of records) for (const node of addedNodes) if (node instanceof Element) for (const region of [node, ...node.querySelectorAll("*")]) if (region.matches("[aria-live]:not([aria-live=off]), [role=status], [role=alert], [role=log]")) spoken.add(region);
    for (const region of spoken) if (region.textContent.trim() !== "") globalThis.told.push(region.textContent);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}

/** Sends events of the chat on screen, some a drawing. */
async function happen({ bodies, first, chat = "c-work", atOnce = 20 }) {
  for (let at = 0; at < bodies.length; at += atOnce) {
    const items = bodies.slice(at, at + atOnce).map((body, index) => {
      const seq = first + at + index;
      return { item: "event", chat, from_seq: seq, event: { seq, at: Date.now(), turn: `${chat}-t9`, body } };
    });
    globalThis.paddockScript.push(...items);
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}

const said = (event) => ({ kind: "turn", event });
const words = (count, text = "word ", message = "m") => Array.from({ length: count }, () => said({ type: "text_delta", message_id: message, block: 0, text, task_id: null }));
const USAGE = { input: 1, output: 1, cache_creation: null, cache_read: null, context_window: null, cost_usd: null };
const ended = { kind: "turn_ended", status: "succeeded", text: "", usage: USAGE, failure: null, delivery: "accepted", duration_ms: 5 };
const plan = said({ type: "plan_approval_requested", id: "p9", plan: { text: "# Plan", bytes: 6, truncated: false }, path: null });
const told = (page) => page.evaluate(() => globalThis.told);

test("a turn of a thousand pieces is announced three times at most, a decision once", async () => {
  const { page } = await show(window_, { hash: "#/chat/c-work", clock: false });
  await page.evaluate(listen);
  await page.evaluate(happen, { bodies: [{ kind: "turn_started", resumed: false }, ...words(1_000), ended], first: 12 });
  await settled(page);
  const turn = await told(page);
  assert.ok(turn.length > 0 && turn.length <= MOST_ANNOUNCEMENTS, JSON.stringify(turn));
  await page.evaluate(() => void (globalThis.told = []));
  await page.evaluate(happen, { bodies: [{ kind: "turn_started", resumed: false }], first: 1_014 });
  await settled(page);
  await page.evaluate(() => void (globalThis.told = []));
  await page.evaluate(happen, { bodies: [plan, ...words(20)], first: 1_015 });
  await settled(page);
  assert.deepEqual(await told(page), ["A plan waits for you."]);
  await page.close();
});

test("after an answer the focus goes to the next card, then to the composer", async () => {
  const { page } = await show(window_, { hash: "#/chat/c-quiet", scene: "two-decisions" });
  const on = () => page.evaluate(() => document.activeElement?.closest("[data-decision]")?.getAttribute("data-decision") ?? document.activeElement?.getAttribute("data-testid"));
  await page.keyboard.press("Control+Shift+A");
  await page.waitForFunction(() => document.activeElement?.getAttribute("data-decision") === "d-2");
  await page.keyboard.press("1");
  await page.waitForFunction(() => document.activeElement?.getAttribute("data-decision") === "d-3");
  assert.equal(await on(), "d-3");
  await page.keyboard.press("a");
  await page.waitForFunction(() => document.activeElement?.tagName === "TEXTAREA");
  assert.equal(await page.locator("#main [data-decision]").count(), 0);
  await page.close();
});

test("deny with a reason, queue, stop and search, by keys alone", async () => {
  const { page } = await show(window_, { hash: "#/chat/c-needs" });
  await page.keyboard.press("Control+Shift+A");
  await page.waitForFunction(() => document.activeElement?.getAttribute("data-decision") === "d-1");
  while ((await page.evaluate(() => document.activeElement?.getAttribute("data-testid"))) !== "deny-reason") await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.keyboard.type("not in this branch");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.tagName === "TEXTAREA");
  await page.keyboard.type("And then the docs");
  await page.keyboard.press("Enter");
  await page.getByText("And then the docs").waitFor();
  await page.keyboard.press("Control+f");
  await page.keyboard.type("tiles");
  await page.locator("[role=search]").getByText(/\d+ of \d+/).waitFor();
  await page.keyboard.press("Escape");
  await page.locator("[role=search]").waitFor({ state: "detached" });
  await page.locator("#main textarea").last().focus();
  await page.keyboard.press("Escape");
  await page.getByTestId("stop").waitFor({ state: "detached" });
  await page.close();
});

test("the row that is read does not move while five hundred pieces and a card come", async () => {
  const { page } = await show(window_, { hash: "#/chat/c-work", clock: false, height: 700 });
  const paragraphs = words(300, "Some **bold** and `code`, and a line to fill it.\n\n", "long");
  await page.evaluate(happen, { bodies: paragraphs, first: 12 });
  await settled(page);
  await page.getByTestId("transcript").hover();
  await page.mouse.wheel(0, -3_000);
  await settled(page);
  const anchor = () => page.evaluate(() => {
    const box = document.querySelector("[data-testid=transcript]");
    const { top, bottom } = box.getBoundingClientRect();
    const marked = (globalThis.anchor ??= [...box.querySelectorAll("[data-row] p, [data-row] li, [data-row] button")].find((each) => each.getBoundingClientRect().top > top + 20 && each.getBoundingClientRect().bottom < bottom));
    return { connected: marked.isConnected, top: marked.getBoundingClientRect().top, scrolled: box.scrollTop };
  });
  const before = await anchor();
  await page.evaluate(happen, { bodies: [...words(500, "More of it.\n\n", "more"), plan], first: 312 });
  await page.evaluate(() => globalThis.paddockScript.ask("c-work"));
  await page.locator("#main [data-decision]").waitFor();
  await settled(page);
  const after_ = await anchor();
  assert.ok(after_.connected, "the row is still there");
  assert.ok(Math.abs(after_.top - before.top) <= MOST_MOVED, `it moved by ${after_.top - before.top} px`);
  assert.ok(await page.getByRole("button", { name: /new$/ }).isVisible(), "the way down is shown");
  await page.close();
});

test("a long text that begins far away keeps the reader's place as its parts are drawn", async () => {
  const { page } = await show(window_, { hash: "#/chat/c-work", clock: false, height: 700 });
  const text = Array.from({ length: 1_500 }, (_, at) => `Paragraph ${at} with **bold** and \`code\` in it, long enough to fill more than one line of the column, whatever its width may be today.\n\n`).join("");
  const whole = said({ type: "message_completed", id: "whole", block: 0, text: { text, bytes: text.length, truncated: false }, replaces: [], task_id: null });
  await page.evaluate(happen, { bodies: [whole], first: 12 });
  await settled(page);
  assert.ok((await page.locator("#main [data-far]").count()) > 3, "most of it is not drawn");
  const shown = () => page.evaluate(() => {
    const { top, bottom } = document.querySelector("[data-testid=transcript]").getBoundingClientRect();
    return [...document.querySelectorAll("#main [data-piece] p")].filter((each) => each.getBoundingClientRect().top >= top && each.getBoundingClientRect().bottom <= bottom).map((each) => Number(/Paragraph (\d+)/.exec(each.textContent)?.[1]));
  });
  await page.getByTestId("transcript").hover();
  let last = (await shown()).at(-1);
  for (let step = 0; step < 25; step += 1) {
    await page.mouse.wheel(0, -500);
    await settled(page);
    const now = await shown();
    assert.ok(now.length > 0, "the reader sees text, never a hole");
    assert.ok(now.at(-1) <= last && now.at(-1) > last - 25, `from paragraph ${last} to ${now.at(-1)} in one turn of the wheel`);
    last = now.at(-1);
  }
  await page.close();
});

test("a receipt says what was done and leads to each step, for keys too", async () => {
  const { page } = await show(window_, { hash: "#/chat/c-done", height: 700 });
  const line = page.getByRole("button", { name: /^Done/ });
  assert.match(await line.textContent(), /1 command · 1 file · 1 without asking · 48 s · 36\.9k tokens/);
  await line.click();
  await page.getByTestId("receipt").getByRole("button", { name: "npm test -- map" }).press("Enter");
  const seen = () => {
    const box = document.activeElement?.getBoundingClientRect();
    return { text: document.activeElement?.textContent, top: box?.top, bottom: box?.bottom };
  };
  // The list brings a row into sight after it has measured what lies between.
  await page.waitForFunction(() => {
    const box = document.activeElement?.getBoundingClientRect();
    return !document.activeElement?.closest("[data-testid=receipt]") && box.top > 0 && box.bottom < 700;
  }, null, { timeout: 5_000 }).catch(() => undefined);
  const found = await page.evaluate(seen);
  assert.match(found.text, /npm test -- map/);
  assert.ok(found.top > 0 && found.bottom < 700, `the step is in sight: ${found.top} to ${found.bottom}`);
  assert.equal(await page.locator("#main [data-row][data-hit]").count(), 1, "it is marked");
  await page.close();
});

test("the living processes are looked at when their list is open, and not by a timer while it is closed", async () => {
  const { page } = await show(window_, { hash: "#/chat/c-done", clock: false });
  const looks = () => page.evaluate(() => globalThis.paddockScript.asked.filter((name) => name === "chatProcesses").length);
  const first = await looks();
  await page.waitForTimeout(2_600);
  assert.equal(await looks(), first, "closed, nothing looks");
  await page.getByRole("button", { name: "2 processes" }).click();
  const sheet = page.getByRole("dialog", { name: "Living processes of this chat" });
  await sheet.getByText("npm run dev").waitFor();
  await sheet.getByRole("button", { name: "End", exact: true }).click();
  await sheet.getByText("npm run dev").waitFor({ state: "detached" });
  assert.ok((await looks()) > first);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "1 process" }).waitFor();
  await page.close();
});

test("a chat of a hundred thousand events opens at its end with one page", async () => {
  const { page } = await show(window_, { hash: "#/settings", scene: "huge" });
  await page.evaluate(() => void (location.hash = "#/chat/c-needs"));
  await page.locator("#main [data-row]").first().waitFor();
  await settled(page);
  const found = await page.evaluate(() => {
    const box = document.querySelector("[data-testid=transcript]");
    return { rows: document.querySelectorAll("#main [data-row]").length, last: [...document.querySelectorAll("#main [data-row]")].at(-1).dataset.sequence, rest: box.scrollHeight - box.scrollTop - box.clientHeight, asked: globalThis.paddockScript.asked.filter((name) => name.startsWith("events")) };
  });
  assert.equal(found.last, "100000");
  assert.ok(found.rest <= 1, `${found.rest} px from its end`);
  assert.ok(found.rows <= 60, `${found.rows} rows are drawn`);
  assert.deepEqual(found.asked, [], "nothing but its end is read");
  await page.close();
});

test("a decision that is overtaken says how it ended and stays until it is dismissed", async () => {
  for (const [state, says] of [["expired", "Expired"], ["withdrawn", "Withdrawn by the agent"], ["delivered", "Answered elsewhere"]]) {
    const { page } = await show(window_, { hash: "#/chat/c-needs" });
    await page.evaluate((end) => globalThis.paddockScript.overtake("d-1", end), state);
    const card = page.locator("#main [data-decision='d-1'][data-closed]");
    await card.getByText(says).waitFor();
    assert.equal(await card.getByTestId("allow-once").count(), 0);
    await card.getByRole("button", { name: "Close" }).click();
    await card.waitFor({ state: "detached" });
    await page.close();
  }
});

test("Allow is open as soon as a card that fits is on screen", async () => {
  const { page } = await show(window_, { hash: "#/settings" });
  // An observer that never tells, as when the page is busy.
  await page.evaluate(() => void (globalThis.IntersectionObserver = class { observe() {} unobserve() {} disconnect() {} }));
  await page.evaluate(() => void (location.hash = "#/chat/c-needs"));
  await page.getByTestId("allow-once").waitFor();
  assert.ok(await page.getByTestId("allow-once").isEnabled());
  await page.close();
});

test("what starts a chat is in sight at once in a window of 1280 × 800", async () => {
  const { page } = await show(window_, { hash: "#/new?folder=%2Fhome%2Fada%2Fwork%2Fatlas", width: 1280, height: 800 });
  const places = [page.getByRole("combobox", { name: "Folder" }), page.getByLabel("First prompt"), page.getByRole("combobox", { name: "Harness" }), page.getByRole("radio", { name: "Practice" }), page.getByRole("button", { name: "Send" })];
  for (const place of places) {
    const box = await place.boundingBox();
    assert.ok(box && box.y >= 0 && box.y + box.height <= 800, `${place}: ${JSON.stringify(box)}`);
  }
  await page.close();
});

test("type, answers and the measure of prose keep their least and most", async () => {
  const { page } = await show(window_, { hash: "#/chat/c-needs" });
  const found = await page.evaluate(() => {
    const texts = [...document.querySelectorAll("#root *")].filter((each) => [...each.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue.trim() !== "") && each.getClientRects().length > 0);
    const small = texts.filter((each) => Number.parseFloat(getComputedStyle(each).fontSize) < 12).map((each) => each.textContent.slice(0, 40));
    const answers = [...document.querySelectorAll("[data-decision] footer button[aria-keyshortcuts], [data-testid=deny-stop]")].map((each) => each.getBoundingClientRect());
    const gaps = answers.slice(1).map((box, at) => (Math.abs(box.top - answers[at].top) < 4 ? box.left - answers[at].right : box.top - answers[at].bottom));
    const paragraph = [...document.querySelectorAll("[data-piece] p")].find((each) => each.textContent.length > 150);
    const range = document.createRange();
    const text = paragraph.textContent;
    let perLine = 0;
    const walker = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
    const first = paragraph.getBoundingClientRect().top;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) for (let at = 0; at < node.nodeValue.length; at += 1) {
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      if (range.getBoundingClientRect().top < first + 20) perLine += 1;
    }
    return { small, heights: answers.map(({ height }) => height), gaps, perLine, text, italic: getComputedStyle(document.querySelector("[data-piece] em")).fontStyle, face: [...document.fonts].some((face) => face.style === "italic" && face.status === "loaded" && /Inter/.test(face.family)) };
  });
  assert.deepEqual(found.small, []);
  assert.ok(found.heights.length >= 4 && found.heights.every((height) => height >= 32), JSON.stringify(found.heights));
  assert.ok(found.gaps.every((gap) => gap >= 7.5), JSON.stringify(found.gaps));
  assert.ok(found.perLine >= 60 && found.perLine <= 84, `${found.perLine} characters a line`);
  assert.deepEqual([found.italic, found.face], ["italic", true]);
  await page.close();
});

test("figures that change do not make what stands beside them jump", async () => {
  const { page } = await show(window_, { hash: "#/chat/c-work" });
  const loose = await page.evaluate(() => {
    const bar = document.querySelector("[data-testid=stop]").parentElement;
    const places = [...bar.querySelectorAll("span"), ...document.querySelectorAll("footer span, nav time, nav [data-age], aside time")];
    return places.filter((each) => each.childElementCount === 0 && /\d/.test(each.textContent) && getComputedStyle(each).fontVariantNumeric !== "tabular-nums").map((each) => each.textContent);
  });
  assert.deepEqual(loose, []);
  await page.close();
});

test("nothing animates while a turn streams where motion is not wanted", async () => {
  const { page } = await show(window_, { hash: "#/chat/c-work", clock: false });
  const most = await page.evaluate(async () => {
    let seen = 0;
    for (let at = 0; at < 60; at += 1) {
      globalThis.paddockScript.push({ item: "event", chat: "c-work", from_seq: 12 + at, event: { seq: 12 + at, at: Date.now(), turn: "c-work-t9", body: { kind: "turn", event: at === 30 ? { type: "tool_call", id: "t", name: "Bash", status: "started", detail: { kind: "command", command: "make", background: false }, input: null, output: null, error: null, task_id: null, unasked: true } : { type: "text_delta", message_id: "m", block: 0, text: "word ", task_id: null } } } });
      await new Promise((resolve) => requestAnimationFrame(resolve));
      seen = Math.max(seen, document.getAnimations().filter((animation) => animation.playState === "running" && Number(animation.effect?.getComputedTiming().duration) > 0).length);
    }
    return seen;
  });
  assert.equal(most, 0);
  await page.close();
});

test("forced colours keep the focus, the states and the signs of a diff", async () => {
  const { page } = await show(window_, { hash: "#/chat/c-work", forced: "active" });
  await page.getByTestId("row-tool").filter({ hasText: "MapView" }).getByRole("button").first().click();
  await drawn(page);
  const signs = await page.locator("#main [data-row] [data-sign]").evaluateAll((each) => each.map((sign) => sign.textContent.trim() || getComputedStyle(sign, "::before").content));
  assert.ok(signs.some((sign) => /\+/.test(sign)) && signs.some((sign) => /[-−]/.test(sign)), JSON.stringify(signs));
  await page.keyboard.press("Tab");
  const ring = await page.evaluate(() => {
    const style = getComputedStyle(document.activeElement);
    return [style.outlineStyle, Number.parseFloat(style.outlineWidth) >= 2];
  });
  assert.deepEqual(ring, ["solid", true]);
  await page.close();
});

test("a heading that takes the focus by program shows no ring; what a key reaches does", async () => {
  const { page } = await show(window_, { hash: "#/settings" });
  const outline = () => page.evaluate(() => [document.activeElement?.tagName, getComputedStyle(document.activeElement).outlineStyle]);
  await page.keyboard.press("F6");
  await page.evaluate(() => document.querySelector("h1").focus({ focusVisible: true }));
  assert.deepEqual(await outline(), ["H1", "none"]);
  await page.keyboard.press("Tab");
  assert.equal((await outline())[1], "solid");
  await resize(page, 390, 844);
  await page.close();
});
