// The scripted window in a real Chromium: a static server for the mock build, one browser, fresh pages.
import { createReadStream, existsSync } from "node:fs";
import { cp, mkdtemp, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, extname, join, normalize } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const UI = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const DIST = join(UI, "dist-mock");
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** The moment at which every scene stands; the same as the scripted host's. */
export const NOW = Date.UTC(2026, 2, 14, 15, 9, 26);

/** How long anything in the page may take (ms). */
export const WAIT_MS = 15_000;

/** The content policy of the real window, without the bridge's own addresses. */
const POLICY = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; frame-src 'none'";

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2", ".svg": "image/svg+xml", ".json": "application/json" };

async function serve(root, request, response) {
  const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
  const path = normalize(join(root, pathname === "/" ? "index.html" : decodeURIComponent(pathname)));
  const known = path.startsWith(root) && (await stat(path).then((found) => found.isFile(), () => false));
  if (!known) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream", "content-security-policy": POLICY, "cache-control": "no-store" });
  createReadStream(path).pipe(response);
}

/** Starts server and browser; `close` ends both and removes the profile. */
export async function open() {
  if (!existsSync(join(DIST, "index.html"))) throw new Error("no mock build: run `npm run build:mock -w ui` first");
  if (!existsSync(CHROMIUM)) throw new Error(`no Chromium at ${CHROMIUM}: install it (apt-get install chromium) or set CHROMIUM`);
  const profile = await mkdtemp(join(tmpdir(), "paddock-ui-"));
  // A copy of its own: another build may replace the folder while the run goes on.
  const root = join(profile, "dist");
  await cp(DIST, root, { recursive: true });
  const server = createServer((request, response) => void serve(root, request, response));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const context = await chromium.launchPersistentContext(join(profile, "profile"), {
    executablePath: CHROMIUM,
    headless: true,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--force-color-profile=srgb", "--font-render-hinting=none"],
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
    viewport: { width: 1440, height: 900 },
  });
  context.setDefaultTimeout(WAIT_MS);
  const base = `http://127.0.0.1:${server.address().port}`;
  const close = async () => {
    await context.close();
    await new Promise((resolve) => server.close(resolve));
    await rm(profile, { recursive: true, force: true });
  };
  return { context, base, close };
}

/**
 * A page at a place. `problems` gathers what the console and the page complain about; a clean run leaves it empty.
 * @param {{ context: import("playwright-core").BrowserContext, base: string }} window
 */
export async function show(window, { hash = "#/new", scene = "busy", theme = "light", width = 1440, height = 900, zoom = 1, settle = true, motion = "reduce", forced = "none", clock = true, fresh = false } = {}) {
  const page = await window.context.newPage();
  const problems = [];
  page.on("console", (message) => (message.type() === "error" ? problems.push(message.text()) : undefined));
  page.on("pageerror", (error) => problems.push(error.stack ?? error.message));
  if (clock) await page.clock.setFixedTime(NOW);
  // Drafts and widths of another test are not this one's.
  if (fresh) await page.addInitScript(() => localStorage.clear());
  await page.emulateMedia({ colorScheme: theme, reducedMotion: motion, forcedColors: forced });
  // Zoom in a browser leaves fewer CSS pixels; nothing else changes for the layout.
  await page.setViewportSize({ width: Math.round(width / zoom), height: Math.round(height / zoom) });
  await page.goto(`${window.base}/?scene=${scene}${hash}`);
  await ready(page);
  if (settle) await settled(page);
  return { page, problems };
}

/** Waits for the parts that are read after the shell. */
async function ready(page) {
  await page.locator("#main").waitFor();
  await page.waitForFunction(() => !document.querySelector('#main [role="status"][aria-label="Loading"]'));
}

/** Goes to another place in the same page, as a link would. */
export async function go(page, hash) {
  await page.evaluate((next) => void (location.hash = next), hash);
  await drawn(page);
  await ready(page);
  await settled(page);
}

/** Changes the size of a page that is shown; zoom leaves fewer CSS pixels, as in a browser. */
export async function resize(page, width, height, zoom = 1) {
  await page.setViewportSize({ width: Math.round(width / zoom), height: Math.round(height / zoom) });
  await settled(page);
}

/** Waits until what was changed is on screen. */
export function drawn(page) {
  return page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** Waits for fonts, answers and two drawn frames. */
export async function settled(page) {
  await page.evaluate(async () => {
    await document.fonts.ready;
    for (let frame = 0; frame < 3; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  });
  await page.waitForTimeout(180);
  await page.evaluate(async () => {
    await document.fonts.ready;
    await new Promise((resolve) => requestAnimationFrame(resolve));
  });
}
