// The window by keys alone. After each step the focused element is visible, uncovered and named.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open, settled, show } from "./window.mjs";

let window_;
before(async () => {
  window_ = await open();
});
after(() => window_?.close());

/** Fails unless what has the focus can be seen and has a name. */
async function focused(page) {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return { name: "", why: "nothing has the focus" };
    const labels = "labels" in element && element.labels ? [...element.labels].map((label) => label.textContent).join(" ") : "";
    const by = (element.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ").trim();
    const name = (element.getAttribute("aria-label") ?? "") || by || labels || element.textContent?.trim() || "";
    const box = element.getBoundingClientRect();
    const visible = box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
    if (!visible) return { name, why: "the focused element is out of sight" };
    const at = document.elementFromPoint(Math.min(Math.max(box.left + Math.min(box.width / 2, 20), 1), innerWidth - 1), Math.min(Math.max(box.top + Math.min(box.height / 2, 20), 1), innerHeight - 1));
    const covered = at !== null && !element.contains(at) && !at.contains(element) && !(element.closest("label")?.contains(at) ?? false);
    return { name, why: name === "" ? "the focused element has no name" : covered ? `covered by ${at?.tagName} ${at?.className}` : "" };
  });
}

async function press(page, keys) {
  await page.keyboard.press(keys);
  await settled(page);
  const { name, why } = await focused(page);
  assert.equal(why, "", `after ${keys} on "${name.slice(0, 80)}"`);
  return name;
}

test("a new chat from nothing but keys", async () => {
  const { page, problems } = await show(window_, { hash: "#/settings" });
  assert.match(await press(page, "Control+n"), /Folder/);
  await page.keyboard.type("~/work/at");
  await settled(page);
  await press(page, "Tab");
  assert.equal(await page.getByRole("combobox", { name: "Folder" }).inputValue(), "~/work/atlas");
  await press(page, "ArrowDown");
  await press(page, "ArrowDown");
  await press(page, "Enter");
  assert.equal(await page.getByRole("combobox", { name: "Folder" }).inputValue(), "~/work/atlas-tiles");
  await press(page, "Tab");
  await page.keyboard.type("Count the tiles");
  await settled(page);
  await press(page, "Enter");
  await page.waitForFunction(() => location.hash.startsWith("#/chat/c-new-"));
  assert.match(await page.title(), /Count the tiles/);
  assert.deepEqual(problems, []);
  await page.close();
});

test("Send stays off until the folder stands and there is a prompt", async () => {
  const { page } = await show(window_, { hash: "#/new" });
  const send = page.getByRole("button", { name: "Send" });
  const folder = page.getByRole("combobox", { name: "Folder" });
  await page.getByLabel("First prompt").fill("Go");
  for (const [typed, on] of [["", false], ["~/wor", false], ["~/work/atlas", true], ["~/work/atlasx", false], ["~/work/atlas/", true]]) {
    await folder.fill(typed);
    await settled(page);
    assert.equal(await send.isEnabled(), on, typed);
  }
  await page.getByLabel("First prompt").fill("  ");
  await settled(page);
  assert.equal(await send.isEnabled(), false);
  await page.close();
});

test("Enter that belongs to an input method sends nothing", async () => {
  const { page } = await show(window_, { hash: "#/new?folder=%2Fhome%2Fada%2Fwork%2Fatlas" });
  const prompt = page.getByLabel("First prompt");
  await prompt.fill("東京");
  await settled(page);
  await prompt.evaluate((field) => {
    field.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true }));
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, isComposing: true }));
    field.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true, data: "東京" }));
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
  });
  await settled(page);
  assert.match(await page.evaluate(() => location.hash), /^#\/new/);
  await prompt.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#/chat/"));
  await page.close();
});

test("rooms, parts and the palette", async () => {
  const { page, problems } = await show(window_, { hash: "#/inbox" });
  await press(page, "F6");
  const first = await press(page, "F6");
  const second = await press(page, "F6");
  assert.notEqual(first, second);
  await press(page, "Control+k");
  await page.keyboard.type("herbarium");
  await settled(page);
  await press(page, "Enter");
  await page.waitForFunction(() => location.hash === "#/chat/c-failed");
  await press(page, "Control+,");
  assert.equal(await page.evaluate(() => location.hash), "#/settings");
  await page.goBack();
  await page.waitForFunction(() => location.hash === "#/chat/c-failed");
  await page.goForward();
  await page.waitForFunction(() => location.hash === "#/settings");
  assert.deepEqual(problems, []);
  await page.close();
});

test("the oldest decision is one key away, and the key answers nothing", async () => {
  const { page } = await show(window_, { hash: "#/settings", scene: "two-decisions" });
  assert.match(await page.title(), /^\(3\) /);
  await page.keyboard.press("Control+Shift+A");
  await page.waitForFunction(() => location.hash === "#/chat/c-quiet");
  await page.waitForFunction(() => document.activeElement?.closest("[data-decision='d-2']") !== null);
  assert.equal((await focused(page)).why, "");
  assert.match(await page.title(), /^\(3\) /);
  await page.close();
});

test("two thousand random keys into the text fields answer no decision", async () => {
  const { page } = await show(window_, { hash: "#/new", scene: "two-decisions" });
  let state = 42;
  const random = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
  const keys = [..."asdecASDEC123 yn", "Backspace", "ArrowLeft", "Home"];
  for (const hash of ["#/new", "#/chat/c-quiet"]) {
    await page.evaluate((next) => void (location.hash = next), hash);
    await settled(page);
    await page.locator("main textarea").last().focus();
    const pressed = Array.from({ length: 1_000 }, () => keys[Math.floor(random() * keys.length)] ?? "a");
    for (const key of pressed) await page.keyboard.press(key);
  }
  assert.match(await page.title(), /^\(3\) /);
  await page.close();
});

test("the drawer of a narrow window opens, traps and gives the focus back", async () => {
  const { page } = await show(window_, { hash: "#/settings", width: 390, height: 844 });
  const button = page.getByRole("button", { name: "Chats and rooms" });
  await button.focus();
  await press(page, "Enter");
  const drawer = page.getByRole("dialog", { name: "Chats and rooms" });
  await drawer.waitFor();
  for (let step = 0; step < 30; step += 1) {
    await page.keyboard.press("Tab");
    // At the ends the focus passes over a guard for a moment, and then turns round.
    await page.waitForFunction(() => document.activeElement?.closest('[role="dialog"]') !== null, undefined, { timeout: 2_000 });
  }
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "hidden" });
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Chats and rooms");
  await page.close();
});

test("quitting names what lives; Esc stays", async () => {
  const { page } = await show(window_, { hash: "#/settings", scene: "quit" });
  const dialog = page.getByRole("alertdialog", { name: "Quit Paddock?" });
  await dialog.waitFor();
  assert.match((await dialog.textContent()) ?? "", /map tiles.*token stream.*1 decision.*2 queued/s);
  assert.equal((await focused(page)).name, "Cancel");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await page.close();
});

test("a sidebar of another width is kept, and the separator works by keys", async () => {
  const { page } = await show(window_, { hash: "#/settings" });
  const handle = page.getByRole("separator", { name: "Width of the sidebar" });
  const before = Number(await handle.getAttribute("aria-valuenow"));
  await handle.focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(Number(await handle.getAttribute("aria-valuenow")), before + 16);
  await page.reload();
  assert.equal(Number(await handle.getAttribute("aria-valuenow")), before + 16);
  await page.evaluate(() => localStorage.clear());
  await page.close();
});

test("a grant is revoked in place", async () => {
  const { page } = await show(window_, { hash: "#/workspaces/%2Fhome%2Fada%2Fwork%2Fatlas" });
  const revoke = page.getByRole("button", { name: /^Revoke/ });
  assert.equal(await revoke.count(), 2);
  await revoke.first().click();
  await page.waitForFunction(() => [...document.querySelectorAll("button")].filter((button) => button.textContent === "Revoke").length === 1);
  await page.close();
});

test("light and dark are chosen at once and survive a reload without a flash", async () => {
  const { page } = await show(window_, { hash: "#/settings", theme: "light" });
  await page.getByRole("radio", { name: "Dark" }).click();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  // Nothing but what runs before the first paint: the window itself would ask the host, which has forgotten all here.
  await page.route(/\/assets\/.*\.js/, (route) => route.abort());
  await page.reload({ waitUntil: "commit" });
  await page.locator("html[data-theme='dark']").waitFor({ state: "attached" });
  await page.evaluate(() => localStorage.clear());
  await page.close();
});
