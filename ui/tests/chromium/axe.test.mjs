// axe over every place × light and dark × scene. A room without a place fails.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { look, prepare } from "./look.mjs";
import { PLACES, ROOM_SCENES, SCENES } from "./places.mjs";
import { go, open, show, UI } from "./window.mjs";

/** Fewer looks than this means that places or scenes were lost. */
const FEWEST_LOOKS = 140;

let window_;
let looks = 0;
before(async () => {
  window_ = await open();
});
after(async () => {
  await window_?.close();
  console.log(`axe: ${looks} places looked at`);
});

test("every room has a place", () => {
  const source = readFileSync(join(UI, "src/state/route.ts"), "utf8");
  const rooms = /ROOMS = \[([^\]]+)\]/.exec(source)?.[1]?.match(/"(\w+)"/g)?.map((name) => name.slice(1, -1)) ?? [];
  assert.ok(rooms.length >= 6, "the list of rooms was not found");
  assert.deepEqual(Object.keys(PLACES).sort(), rooms.sort());
  for (const room of rooms) assert.ok(PLACES[room].length > 0, `no place for ${room}`);
});

// One page a room and scene: it goes from place to place as a link would, and is light first, then dark.
for (const [room, hashes] of Object.entries(PLACES)) {
  for (const scene of [...SCENES, ...(ROOM_SCENES[room] ?? [])]) {
    test(`${room} · ${scene}`, async () => {
      const found = [];
      const { page, problems } = await show(window_, { hash: hashes[0], scene });
      await prepare(page);
      for (const hash of hashes) {
        await go(page, hash);
        for (const theme of ["light", "dark"]) {
          await page.emulateMedia({ colorScheme: theme });
          found.push(...(await look(page)).map((violation) => `${hash} ${theme} ${violation}`), ...problems.splice(0).map((problem) => `${hash} ${theme} complained: ${problem}`));
          looks += 1;
        }
      }
      await page.close();
      assert.deepEqual(found, []);
    });
  }
}

test("nothing was left out", () => {
  assert.ok(looks >= FEWEST_LOOKS, `only ${looks} places were looked at, at least ${FEWEST_LOOKS}`);
});
