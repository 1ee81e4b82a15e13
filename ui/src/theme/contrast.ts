/** Which colours stand on which grounds, and how far apart they must be (WCAG 2.2: 1.4.3, 1.4.11). */
export const TEXT = 4.5;
export const GRAPHIC = 3;

export interface Pair {
  ink: string;
  grounds: string[];
  least: number;
}

const SURFACES = ["bg-side", "bg", "bg-raised", "bg-sunken"];
const ALL_GROUNDS = [...SURFACES, "bg-hover", "bg-active"];
const SYNTAX = ["text", "comment", "keyword", "string", "number", "function", "type", "variable", "punctuation"];
const HUES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

const text = (ink: string, grounds: string[]): Pair => ({ ink, grounds, least: TEXT });
const graphic = (ink: string, grounds: string[]): Pair => ({ ink, grounds, least: GRAPHIC });

export const PAIRS: Pair[] = [
  text("text", [...ALL_GROUNDS, "selection", "accent-soft", "needs-soft", "working-soft", "quiet-soft", "done-soft", "failed-soft", "practice-soft"]),
  text("text-soft", [...ALL_GROUNDS, "accent-soft", "needs-soft", "failed-soft", "practice-soft"]),
  text("text-faint", ALL_GROUNDS),
  text("accent-text", [...ALL_GROUNDS, "accent-soft"]),
  text("on-accent", ["accent", "accent-hover"]),
  text("on-danger", ["danger-fill"]),
  text("text-inverse", ["accent"]),
  text("bg", ["text"]),
  ...["needs", "working", "quiet", "waiting", "done", "failed", "practice"].map((state) => text(state, ALL_GROUNDS)),
  text("needs", ["needs-soft"]),
  text("working", ["working-soft"]),
  text("quiet", ["quiet-soft"]),
  text("done", ["done-soft"]),
  text("failed", ["failed-soft"]),
  text("practice", ["practice-soft"]),
  graphic("line-control", [...SURFACES, "bg-hover"]),
  graphic("needs-line", [...SURFACES, "needs-soft"]),
  graphic("failed-line", [...SURFACES, "failed-soft"]),
  graphic("focus", [...ALL_GROUNDS, "accent-soft", "needs-soft", "failed-soft", "code-bg"]),
  graphic("accent", ALL_GROUNDS),
  graphic("danger-fill", SURFACES),
  graphic("gauge", ["gauge-track", ...SURFACES]),
  text("diff-add", ["diff-add-bg", "diff-add-word"]),
  text("diff-del", ["diff-del-bg", "diff-del-word"]),
  text("code-text", ["diff-add-bg", "diff-add-word", "diff-del-bg", "diff-del-word"]),
  ...SYNTAX.map((role) => text(`code-${role}`, ["code-bg"])),
  ...HUES.flatMap((hue) => [text(`ansi-${hue}`, ["code-bg"]), text(`ansi-bright-${hue}`, ["code-bg"])]),
];

export interface Scheme {
  light: string;
  dark: string;
}

const ROLE = /--c-([a-z0-9-]+):\s*light-dark\(\s*(#[0-9a-f]{6,8})\s*,\s*(#[0-9a-f]{6,8})\s*\)/g;

/** Reads the roles out of the style sheet itself, so that what is tested is what is drawn. */
export function readRoles(css: string): Map<string, Scheme> {
  const roles = new Map<string, Scheme>();
  for (const [, name, light, dark] of css.matchAll(ROLE)) {
    if (name && light && dark) roles.set(name, { light, dark });
  }
  return roles;
}

function channel(value: number): number {
  const part = value / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

export function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => channel(Number.parseInt(hex.slice(at, at + 2), 16)));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(one: string, other: string): number {
  const [high, low] = [luminance(one), luminance(other)].sort((left, right) => right - left) as [number, number];
  return (high + 0.05) / (low + 0.05);
}
