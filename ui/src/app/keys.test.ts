import { describe, expect, it } from "vitest";
import { deedOf, KEYS, type Key } from "./keys";

const key = (name: string, over: Partial<Key> = {}): Key => ({ key: name, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, repeat: false, ...over });

describe("keys of the window", () => {
  it("need the modifier of the platform", () => {
    expect(deedOf(key("n", { ctrlKey: true }), false)).toBe("new-chat");
    expect(deedOf(key("n", { metaKey: true }), true)).toBe("new-chat");
    expect(deedOf(key("n", { ctrlKey: true }), true)).toBeNull();
    expect(deedOf(key("n", { metaKey: true }), false)).toBeNull();
    expect(deedOf(key("n"), false)).toBeNull();
  });

  it("do not repeat while held down, and leave Alt alone", () => {
    expect(deedOf(key("k", { ctrlKey: true, repeat: true }), false)).toBeNull();
    expect(deedOf(key("k", { ctrlKey: true, altKey: true }), false)).toBeNull();
  });

  it("go to the oldest decision only with Shift, whatever the letter's case", () => {
    expect(deedOf(key("A", { ctrlKey: true, shiftKey: true }), false)).toBe("oldest-decision");
    expect(deedOf(key("a", { ctrlKey: true }), false)).toBeNull();
  });

  it("are all named in the list that Settings shows", () => {
    for (const { keys } of KEYS) {
      const parts = keys.split("+");
      const last = parts.at(-1) ?? "";
      const pressed = key(last, { ctrlKey: parts.includes("Mod"), shiftKey: parts.includes("Shift") });
      expect(deedOf(pressed, false), keys).not.toBeNull();
    }
  });
});
