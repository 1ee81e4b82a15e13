import { describe, expect, it } from "vitest";
import type { StandingContext } from "../../host";
import { argsOf, contextOf, differs, draftOf, emptyServer, missingAt, problemAt } from "./standing";

const STORED: StandingContext = {
  instructions: "Be brief.",
  only_these: true,
  servers: [
    { name: "files", reach: { by: "stdio", command: "node", args: ["server.js", "", "--all"], variables: [{ name: "TOKEN", from: "FILES_TOKEN" }] } },
    { name: "remote", reach: { by: "http", url: "https://host/mcp", headers: [{ name: "Authorization", from: "REMOTE_TOKEN" }] } },
  ],
};

describe("the standing context under edit", () => {
  it("comes back as it was stored", () => {
    expect(contextOf(draftOf(STORED))).toEqual(STORED);
    expect(differs(draftOf(STORED), STORED)).toBe(false);
  });

  it("differs when anything differs, and not by the other way to reach a server", () => {
    const draft = draftOf(STORED);
    expect(differs({ ...draft, instructions: "Be long." }, STORED)).toBe(true);
    expect(differs({ ...draft, servers: [...draft.servers, emptyServer()] }, STORED)).toBe(true);
    const [files, ...others] = draft.servers;
    if (!files) throw new Error("no server");
    expect(differs({ ...draft, servers: [{ ...files, url: "https://typed-before" }, ...others] }, STORED)).toBe(false);
    expect(differs({ ...draft, servers: [{ ...files, by: "http" }, ...others] }, STORED)).toBe(true);
  });

  it("reads one argument a line", () => {
    expect(["", "a\nb c\n", "a\n\nb", "\n"].map(argsOf)).toEqual([[], ["a", "b c"], ["a", "", "b"], []]);
  });

  it("finds what is wrong at a field and what is missing for a server", () => {
    const check = {
      problems: [{ server: 1, field: "url" as const, message: "An address." }, { server: null, field: "instructions" as const, message: "Too long." }],
      missing: [{ server: 0, variable: "A" }, { server: 0, variable: "A" }, { server: 1, variable: "B" }],
    };
    expect([problemAt(check, 1, "url"), problemAt(check, 0, "url"), problemAt(check, null, "instructions"), problemAt(null, 0, "url")]).toEqual(["An address.", undefined, "Too long.", undefined]);
    expect(missingAt(check, 0)).toEqual(["A"]);
  });
});
