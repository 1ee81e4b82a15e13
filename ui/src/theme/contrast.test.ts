import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { contrast, PAIRS, readRoles } from "./contrast";

const root = process.cwd();
const css = readFileSync(resolve(root, "src/theme/colors.css"), "utf8");
const roles = readRoles(css);

/** Roles that carry no meaning by contrast: grounds, group lines, shades. */
const WITHOUT_INK = new Set(["scrim", "line", "line-strong"]);

describe("contrast of the colour roles", () => {
  it("reads every role of the sheet", () => {
    expect(roles.size).toBe(css.match(/^\s*--c-/gm)?.length);
  });

  it("covers every role by a pair, or says why not", () => {
    const named = new Set(PAIRS.flatMap((pair) => [pair.ink, ...pair.grounds]));
    expect([...roles.keys()].filter((role) => !named.has(role) && !WITHOUT_INK.has(role))).toEqual([]);
  });

  for (const scheme of ["light", "dark"] as const) {
    for (const { ink, grounds, least } of PAIRS) {
      it(`${scheme}: ${ink} ≥ ${least}`, () => {
        const front = roles.get(ink)?.[scheme];
        expect(front, `role ${ink}`).toBeDefined();
        const weak = grounds
          .map((ground) => ({ ground, ratio: contrast(front ?? "", roles.get(ground)?.[scheme] ?? "") }))
          .filter(({ ratio }) => !(ratio >= least))
          .map(({ ground, ratio }) => `${ground} ${ratio.toFixed(2)}`);
        expect(weak).toEqual([]);
      });
    }
  }
});

describe("the first frame", () => {
  it("has the ground of the sheet before the sheet arrives", () => {
    const html = readFileSync(resolve(root, "index.html"), "utf8");
    const ground = roles.get("bg");
    expect(html).toContain(`html { background: ${ground?.light};`);
    expect(html).toContain(`html { background: ${ground?.dark}; }`);
  });

  it("has no inline script", () => {
    const html = readFileSync(resolve(root, "index.html"), "utf8");
    expect(html.match(/<script(?![^>]*\bsrc=)[^>]*>/g)).toBeNull();
    expect(html).not.toMatch(/\son[a-z]+=/);
  });
});

describe("the type scale", () => {
  it("has nothing under 12 px", () => {
    const tokens = readFileSync(resolve(root, "src/theme/tokens.css"), "utf8");
    const sizes = [...tokens.matchAll(/--t-[a-z0-9]+:\s*([\d.]+)rem/g)].map(([, rem]) => Number(rem) * 16);
    expect(sizes.length).toBeGreaterThan(5);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(12);
  });
});
