// What goes with a prompt, as a person does it: files by chooser, paste and drop, a schema, a copied chat.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { wrong, wrongWhenSpaced } from "./fits.mjs";
import { look, prepare } from "./look.mjs";
import { drawn, open, resize, settled, show } from "./window.mjs";

const SIZES = [[320, 640], [390, 844], [1440, 900]];
const DIALOG = "[role=dialog]";

let window_;
before(async () => {
  window_ = await open();
});
after(() => window_?.close());

const text = (name, type = "text/plain") => ({ name, mimeType: type, buffer: Buffer.from("hello") });
const names = (page) => page.getByRole("list", { name: "Attached files" }).getByRole("listitem").evaluateAll((each) => each.map((item) => item.querySelector("[title]").getAttribute("title")));

/** Sends a paste or a drop with files to what a selector names. Says whether the page took it. */
function bring({ type, selector, files }) {
  const data = new DataTransfer();
  for (const [name, kind] of files) data.items.add(new File(["hello"], name, { type: kind }));
  const event = type === "paste" ? new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: data }) : new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data });
  return !document.querySelector(selector).dispatchEvent(event);
}

test("files are chosen, pasted and dropped, one is removed by keys, and the rest goes with the message", async () => {
  const { page, problems } = await show(window_, { hash: "#/chat/c-work", fresh: true });
  await page.getByTestId("attach-input").setInputFiles([text("one.txt"), text("broken.png", "image/png"), text("two.txt")]);
  await page.getByRole("button", { name: "Remove two.txt" }).waitFor();
  assert.match(await page.getByTestId("attachments").getByRole("alert").textContent(), /Not attached: broken\.png is no image.*Attach another file\./);
  assert.ok(await page.evaluate(bring, { type: "paste", selector: "#main textarea", files: [["image.png", "image/png"]] }));
  await page.getByRole("button", { name: "Remove pasted-image-3.png" }).waitFor();
  await page.evaluate(bring, { type: "dragenter", selector: "[data-testid=transcript]", files: [["x.txt", "text/plain"]] });
  await page.getByText("Drop to attach to the next message").waitFor();
  assert.ok(await page.evaluate(bring, { type: "drop", selector: "[data-testid=transcript]", files: [["dropped.txt", "text/plain"]] }));
  await page.getByRole("button", { name: "Remove dropped.txt" }).waitFor();
  assert.equal(await page.getByText("Drop to attach to the next message").count(), 0);
  assert.deepEqual(await names(page), ["one.txt", "two.txt", "pasted-image-3.png", "dropped.txt"]);
  await page.getByRole("button", { name: "Remove one.txt" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove one.txt" }).waitFor({ state: "detached" });
  const send = page.getByTestId("send");
  assert.ok(await send.isDisabled());
  assert.equal(await send.getAttribute("title"), "Write what to do with the files");
  await page.getByTestId("composer").fill("Look at these");
  await page.keyboard.press("Enter");
  await page.getByTestId("attachments").waitFor({ state: "detached" });
  assert.match(await page.getByRole("list", { name: "Files of this message" }).last().textContent(), /two\.txt.*pasted-image-3\.png.*dropped\.txt/);
  assert.deepEqual(problems, []);
  await page.close();
});

test("a file that misses every place changes nothing", async () => {
  const { page } = await show(window_, { hash: "#/settings" });
  for (const selector of ["nav", "#main h1"]) for (const type of ["dragover", "drop"]) assert.ok(await page.evaluate(bring, { type, selector, files: [["x.txt", "text/plain"]] }), `${type} on ${selector}`);
  await page.close();
});

test("a first prompt takes files too, and the chat begins with them", async () => {
  const { page } = await show(window_, { hash: "#/new?folder=%2Fhome%2Fada%2Fwork%2Fatlas", fresh: true });
  await page.evaluate(bring, { type: "drop", selector: "#main h1", files: [["plan.pdf", "application/pdf"]] });
  await page.getByRole("button", { name: "Remove plan.pdf" }).waitFor();
  await page.getByText("Write what to do with the files").waitFor();
  await page.getByTestId("composer").fill("Do what the plan says");
  await page.getByTestId("send").click();
  await page.waitForFunction(() => location.hash.startsWith("#/chat/c-new-"));
  await page.getByTestId("row-prompt").getByTitle("plan.pdf").waitFor();
  await page.close();
});

test("a schema is asked for once, by keys, and shows on the message", async () => {
  const { page } = await show(window_, { hash: "#/new?folder=%2Fhome%2Fada%2Fwork%2Fatlas", fresh: true });
  await page.getByRole("button", { name: "Answer by a schema", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Table of rows" }).press("Enter");
  await page.getByRole("button", { name: "Ask by this schema" }).press("Enter");
  await page.getByTestId("attachments").getByText("table of rows").waitFor();
  await page.getByTestId("composer").fill("List the slow tests");
  await page.keyboard.press("Enter");
  await page.getByTestId("row-prompt").getByText("Asked for an answer by a schema").waitFor();
  assert.equal(await page.getByTestId("attachments").count(), 0);
  await page.close();
});

test("a chat is forked with its files, and the new one links back", async () => {
  const { page, problems } = await show(window_, { hash: "#/chat/c-read-1", scene: "files" });
  await forkDialog(page);
  await page.getByTestId("fork-prompt").fill("Try the other way");
  await page.getByTestId("fork").click();
  await page.waitForFunction(() => location.hash.startsWith("#/chat/c-new-"));
  await page.getByTestId("row-prompt").getByRole("button", { name: /^Open screenshot/ }).waitFor();
  await page.getByTestId("row-forked").getByRole("link", { name: "Rename the export columns" }).click();
  await page.waitForFunction(() => location.hash === "#/chat/c-read-1");
  assert.deepEqual(problems, []);
  await page.close();
});

async function forkDialog(page) {
  await page.getByRole("button", { name: "More about this chat" }).click();
  await page.getByRole("menuitem", { name: "Fork this chat…" }).click();
  await page.locator(DIALOG).waitFor();
  await settled(page);
}

async function schemaDialog(page) {
  await page.getByRole("button", { name: "Answer by a schema", exact: true }).click();
  await page.locator(DIALOG).getByRole("textbox").fill('{\n  "type": object\n}');
  await page.locator(DIALOG).getByText("Line 2, column 11").waitFor();
}

async function pictureDialog(page) {
  await page.getByTestId("attachments").getByRole("button", { name: /^Open / }).first().click();
  await page.locator(`${DIALOG} img`).waitFor();
}

/** Name, place, scene, what is done first, and the part that is looked at. */
const OPENED = [
  ["schema dialog", "#/chat/c-done", "files", schemaDialog, DIALOG],
  ["fork dialog", "#/chat/c-read-1", "files", forkDialog, DIALOG],
  ["picture of a hostile name", "#/chat/c-needs", "hostile", pictureDialog, DIALOG],
  ["prompt and data with hostile names", "#/chat/c-needs", "hostile", (page) => page.keyboard.press("Alt+ArrowUp"), "#root"],
  ["data as JSON", "#/chat/c-done", "files", (page) => page.getByRole("radio", { name: "JSON" }).click(), "#root"],
];

for (const [name, hash, scene, first, part] of OPENED) {
  test(`${name}: fits, and axe finds nothing`, async () => {
    const found = [];
    const { page, problems } = await show(window_, { hash, scene, fresh: true });
    await prepare(page);
    await first(page);
    for (const [width, height] of SIZES) {
      await resize(page, width, height);
      if (name.startsWith("prompt")) await page.keyboard.press("Alt+ArrowUp");
      await settled(page);
      found.push(...(await wrong(page, part)).map((each) => `${width}: ${each}`));
      if (width < 400) found.push(...(await wrongWhenSpaced(page, part)).map((each) => `${width} ${each}`));
      for (const theme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme: theme });
        await drawn(page);
        found.push(...(await look(page)).map((each) => `${width} ${theme} ${each}`));
      }
    }
    if (part === DIALOG) {
      await page.keyboard.press("Escape");
      await page.locator(DIALOG).waitFor({ state: "detached" });
    }
    await page.close();
    assert.deepEqual([...found, ...problems], []);
  });
}
