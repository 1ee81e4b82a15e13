// The walls of the UI, read from the real syntax trees.
import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { ResolverFactory } from "rolldown/experimental";
import { parseSync } from "rolldown/utils";

/**
 * What may not be imported. `from` and `to` are matched against paths below ui/, or package names; `not` lifts a `to`.
 * A `$1` in `not` is the first group of `from`.
 */
export const RULES = [
  { name: "the window's own API only in host", from: /^src\/(?!host\/)/, to: /^@tauri-apps\// },
  { name: "kit is dumb", from: /^src\/kit\//, to: /^src\/(app|features|prompt|state|host)\// },
  { name: "host knows nothing above", from: /^src\/host\//, to: /^src\/(app|features|prompt|state)\// },
  { name: "state knows nothing above", from: /^src\/state\//, to: /^src\/(app|features|prompt)\// },
  { name: "what goes with a prompt knows no room", from: /^src\/prompt\//, to: /^src\/(app|features)\// },
  { name: "features do not know the app", from: /^src\/features\//, to: /^src\/app\// },
  { name: "a feature never imports another", from: /^src\/features\/([^/]+)\//, to: /^src\/features\//, not: "^src/features/$1/" },
  { name: "the app takes a feature by its index", from: /^src\/app\//, to: /^src\/features\//, not: "^src/features/[^/]+/index\\.tsx?$" },
  { name: "the scripted window only behind the bridge", from: /^src\/(?!host\/mock\/)/, to: /^src\/host\/mock\//, tests: true },
];

const resolver = new ResolverFactory({
  extensions: [".ts", ".tsx", ".js", ".mjs", ".json", ".css"],
  conditionNames: ["import", "browser", "types", "default"],
  extensionAlias: { ".js": [".ts", ".tsx", ".js"] },
});

/** Names that the bundler gives; see vite.config.ts. */
const GIVEN = new Set(["#bridge"]);

/** Every module named by a source: imports, re-exports, `import()`, and `new URL("…", import.meta.url)` of workers. */
export function importsOf(path, text) {
  const { module, errors } = parseSync(path, text);
  if (errors.length) return { names: [], workers: [], errors: errors.map(({ message }) => message) };
  const names = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => (moduleRequest ? [moduleRequest.value] : []))),
    ...module.dynamicImports.map(({ moduleRequest }) => text.slice(moduleRequest.start, moduleRequest.end).replace(/^["'`]|["'`]$/g, "")),
  ];
  const workers = [...text.matchAll(/new URL\(\s*["']([^"']+)["'],\s*import\.meta\.url/g)].map(([, name]) => name);
  return { names: [...new Set(names)], workers, errors: [] };
}

/** Which of the rules the edge breaks. */
export function broken(from, to) {
  const isTest = /\.test\.tsx?$|^src\/test-setup\.ts$/.test(from);
  return RULES.filter((rule) => {
    const match = rule.from.exec(from);
    if (!match || !rule.to.test(to) || (rule.tests && isTest)) return false;
    return !(rule.not && new RegExp(rule.not.replace("$1", match[1] ?? "")).test(to));
  }).map(({ name }) => name);
}

function target(root, from, name) {
  const bare = name.replace(/\?.*$/, "");
  if (!bare.startsWith(".") && !bare.startsWith("/")) return GIVEN.has(bare) ? bare : packageTarget(root, bare);
  const { path } = resolver.sync(dirname(resolve(root, from)), bare);
  return path ? relative(root, path) : undefined;
}

function packageTarget(root, name) {
  if (name.startsWith("node:")) return name;
  const found = resolver.sync(root, name).path ?? resolver.sync(root, `@types/${name}/package.json`).path;
  return found ? name : undefined;
}

/** Reads all sources; returns the broken edges, the unresolvable names and the circles. */
export function checkWalls(root, sources) {
  const found = [];
  const edges = new Map();
  for (const from of sources) {
    const { names, workers, errors } = importsOf(from, readFileSync(resolve(root, from), "utf8"));
    found.push(...errors.map((message) => `${from}: ${message}`));
    const targets = [...names, ...workers].map((name) => ({ name, to: target(root, from, name), own: workers.includes(name) }));
    for (const { name, to } of targets) {
      if (to === undefined) found.push(`${from}: cannot find ${name}`);
      else found.push(...broken(from, to).map((rule) => `${rule}: ${from} → ${to}`));
    }
    // A worker is a world of its own: naming it is no import.
    const within = targets.filter(({ own }) => !own).map(({ to }) => to);
    edges.set(from, within.filter((to) => to?.startsWith("src/") && /\.tsx?$/.test(to)));
  }
  return [...found, ...circles(edges)];
}

function circles(edges) {
  const done = new Set();
  const path = [];
  const found = [];
  const walk = (node) => {
    const at = path.indexOf(node);
    const circle = at >= 0 ? [...path.slice(at), node] : [];
    // Two files of one folder may know each other: a tree draws itself.
    if (new Set(circle.map((each) => dirname(each))).size > 1) found.push(`circle: ${circle.join(" → ")}`);
    if (at >= 0 || done.has(node)) return;
    path.push(node);
    for (const next of edges.get(node) ?? []) walk(next);
    path.pop();
    done.add(node);
  };
  for (const node of edges.keys()) walk(node);
  return found;
}
