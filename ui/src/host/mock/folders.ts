import type { FolderSuggestion, FolderSuggestions } from "../contract";

export const HOME = "/home/ada";

/** The directories of the scripted computer. */
const TREE = [
  "/etc", "/home", HOME, "/srv", "/srv/www", "/tmp",
  `${HOME}/Downloads`, `${HOME}/Dropbox`, `${HOME}/archive`, `${HOME}/src`, `${HOME}/src/pocket-compiler`, `${HOME}/src/pocket-calculator`,
  `${HOME}/work`, `${HOME}/work/atlas`, `${HOME}/work/atlas-tiles`, `${HOME}/work/field-notes`, `${HOME}/work/field-notes/1931`,
];
const GIT = new Set([`${HOME}/src/pocket-compiler`, `${HOME}/work/atlas`, `${HOME}/work/atlas-tiles`, `${HOME}/work/field-notes`]);
const RECENT = [`${HOME}/work/atlas`, `${HOME}/src/pocket-compiler`, `${HOME}/work/field-notes`];

const row = (path: string): FolderSuggestion => ({ path, display: path.startsWith(HOME) ? `~${path.slice(HOME.length)}` : path, git: GIT.has(path) });

export function recent(): FolderSuggestion[] {
  return RECENT.map(row);
}

function notesOf(path: string): string[] {
  const notes: string[] = [];
  if (path === HOME) notes.push("This is your home folder: the agent sees everything in it. A project folder is safer.");
  if (path === "/") notes.push("This is the root of the computer. A project folder is safer.");
  if (path === `${HOME}/Downloads`) notes.push("This is your downloads folder: files from elsewhere may carry instructions for the agent.");
  if (path === `${HOME}/Dropbox`) notes.push("This folder is synced: changes spread at once.");
  if (!GIT.has(path)) notes.push("Not a git repository: git cannot undo what the agent does here.");
  return notes;
}

export function suggest(typed: string, limit: number): FolderSuggestions {
  const path = typed.startsWith("~") ? HOME + typed.slice(1) : typed;
  const exactPath = path.length > 1 ? path.replace(/\/+$/, "") : path;
  const exact = exactPath === "/" || TREE.includes(exactPath);
  const cut = path.lastIndexOf("/");
  const parent = cut <= 0 ? "/" : path.slice(0, cut);
  const begin = path.slice(cut + 1).toLowerCase();
  const found = TREE.filter((each) => {
    const at = each.lastIndexOf("/");
    return (at === 0 ? "/" : each.slice(0, at)) === parent && each.slice(at + 1).toLowerCase().startsWith(begin);
  });
  const folders = found.map(row).sort((left, right) => left.path.localeCompare(right.path));
  return { home: HOME, folders: folders.slice(0, limit), exact, common_prefix: shared(folders.map(({ path: each }) => each), typed), notes: exact ? notesOf(exactPath) : [], incomplete: false };
}

function shared(paths: string[], typed: string): string {
  const [first] = paths;
  if (first === undefined) return typed;
  let length = first.length;
  for (const path of paths) while (!path.startsWith(first.slice(0, length))) length -= 1;
  const common = first.slice(0, length) + (paths.length === 1 ? "/" : "");
  return typed.startsWith("~") && common.startsWith(HOME) ? `~${common.slice(HOME.length)}` : common;
}
