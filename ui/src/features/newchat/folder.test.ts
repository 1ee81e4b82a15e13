import { describe, expect, it } from "vitest";
import { completed } from "./folder";

describe("Tab in the folder field", () => {
  it("takes what all offers share, in the folder's own case", () => {
    expect(completed("/srv/p", "/srv/pocket-")).toBe("/srv/pocket-");
    expect(completed("~/WO", "~/work/")).toBe("~/work/");
  });

  it("moves the focus on when nothing is gained", () => {
    expect(completed("/srv/pocket-", "/srv/pocket-")).toBeNull();
    expect(completed("/srv/x", "/sr")).toBeNull();
    expect(completed("/srv/x", "/other/longer")).toBeNull();
    expect(completed("", "/srv")).toBeNull();
    expect(completed("/x", undefined)).toBeNull();
  });
});
