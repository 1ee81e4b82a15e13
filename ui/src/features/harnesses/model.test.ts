import { describe, expect, it } from "vitest";
import type { HarnessAuthentication, HarnessCard } from "../../host";
import { commandLine, signInSentence, verdict, versionSentence } from "./model";

const auth = (status: HarnessAuthentication["status"], over: Partial<HarnessAuthentication> = {}): HarnessAuthentication => ({ status, method: null, account: null, plan: null, reason: null, ...over });
const card = (over: Partial<HarnessCard>): HarnessCard => ({ status: "ready", authentication: null, version: "2.1.0", verified_version: "2.1.0", standing: "verified", ...over }) as HarnessCard;

describe("the card of a harness", () => {
  it("says signed out only when the harness said so", () => {
    for (const status of ["unknown", "unavailable", "rejected"] as const) expect(signInSentence(auth(status)).text).not.toMatch(/signed out/i);
    expect(signInSentence(auth("required")).text).toMatch(/signed out/i);
    expect(verdict(card({ authentication: auth("unavailable") })).word).toBe("Ready");
    expect(verdict(card({ authentication: auth("required") })).word).toBe("Signed out");
  });

  it("keeps not found, not usable and too old apart", () => {
    const words = (["not_installed", "unavailable", "incompatible", null] as const).map((status) => verdict(card({ status })).word);
    expect(new Set(words).size).toBe(4);
  });

  it("compares the version in words", () => {
    expect(versionSentence(card({ standing: "newer", version: "3.0.0" }))).toContain("newer than 2.1.0");
    expect(versionSentence(card({ standing: "older", version: "1.0.0" }))).toContain("older than 2.1.0");
  });

  it("names who, plan and way", () => {
    expect(signInSentence(auth("authenticated", { account: "ada", plan: "Max", method: "login" }))).toEqual({ good: true, text: "Signed in as ada on Max by login" });
  });

  it("quotes what a shell would split", () => {
    expect(commandLine(["npm", "install", "@a/b", "it's"])).toBe("npm install @a/b 'it'\\''s'");
  });
});
