// Every static rule of the UI in one run: import walls, style tokens, file sizes, raw colours in code.
import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import stylelint from "stylelint";
import { checkWalls } from "./walls.mjs";

/** Lines of a source file at most. */
const MOST_LINES = 500;
/** Fewer sources than this means that the run looked in the wrong place. */
const FEWEST_SOURCES = 40;
/** Fewer sheets than this means the same. */
const FEWEST_SHEETS = 8;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);

async function files(folder, ends) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && ends.some((end) => entry.name.endsWith(end)))
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)));
}

function walls(sources) {
  return { name: "import walls", looked: sources.length, floor: FEWEST_SOURCES, found: checkWalls(root, sources) };
}

async function styles() {
  const { results } = await stylelint.lint({ files: "src/**/*.css" });
  const found = results.flatMap(({ source, warnings, invalidOptionWarnings }) => [
    ...warnings.map(({ line, text }) => `${relative(root, source)}:${line} ${text}`),
    ...invalidOptionWarnings.map(({ text }) => `stylelint.config.js: ${text}`),
  ]);
  return { name: "style tokens", looked: results.length, floor: FEWEST_SHEETS, found };
}

function sizes(sources) {
  const found = sources
    .filter((path) => !path.endsWith("host/bindings.ts"))
    .map((path) => ({ path, lines: readFileSync(path, "utf8").split("\n").length }))
    .filter(({ lines }) => lines > MOST_LINES)
    .map(({ path, lines }) => `${path}: ${lines} lines, at most ${MOST_LINES}`);
  return { name: "file sizes", looked: sources.length, floor: FEWEST_SOURCES, found };
}

function rawColours(sources) {
  const found = sources
    .filter((path) => /src\/(app|features|prompt|kit)\//.test(path) && !path.includes(".test."))
    .flatMap((path) =>
      readFileSync(path, "utf8")
        .split("\n")
        .map((text, index) => ({ text, where: `${path}:${index + 1}` }))
        .filter(({ text }) => /["'`](#[0-9a-f]{3,8}|rgba?\(|hsla?\()/i.test(text))
        .map(({ text, where }) => `${where} raw colour: ${text.trim()}`),
    );
  return { name: "no raw colour in code", looked: sources.length, floor: FEWEST_SOURCES, found };
}

const sources = await files("src", [".ts", ".tsx"]);
const checks = [walls(sources), await styles(), sizes(sources), rawColours(sources)];
let failed = false;
for (const { name, looked, floor, found } of checks) {
  const short = looked < floor;
  failed ||= short || found.length > 0;
  console.log(`${found.length || short ? "✗" : "✓"} ${name}: ${looked} looked at, ${found.length} found`);
  if (short) console.log(`  fewer than ${floor}: the run did not see the sources`);
  for (const line of found) console.log(`  ${line}`);
}
process.exitCode = failed ? 1 : 0;
