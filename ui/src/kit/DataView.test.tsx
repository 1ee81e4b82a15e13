import { fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { columnsOf, DataView, MAX_ENTRIES_SHOWN } from "./DataView";
import { parseJson } from "./json";

const show = (value: unknown) => render(<DataView value={parseJson(typeof value === "string" ? value : JSON.stringify(value))} />);

describe("data for reading", () => {
  it("names and values, yes and no, digits as they were, and what is missing", () => {
    const { container } = show('{"answer": true, "other": false, "id": 12345678901234567890, "none": null, "text": "", "list": []}');
    const pairs = [...container.querySelectorAll("dl > div")].map((each) => each.textContent);
    expect(pairs).toEqual(["answerYes", "otherNo", "id12345678901234567890", "nonenone", "textempty", "listempty list"]);
  });

  it("lays flat objects out as a table with a column for each name, and marks what a row lacks", () => {
    show([{ a: 1, b: "x" }, { a: 2, c: true }]);
    expect(screen.getAllByRole("columnheader").map((each) => each.textContent)).toEqual(["a", "b", "c"]);
    expect(screen.getAllByRole("row").slice(1).map((each) => each.textContent)).toEqual(["1x–", "2–Yes"]);
  });

  it("makes no table of what is nested, mixed, empty or too wide", () => {
    const items = (value: unknown) => {
      const json = parseJson(JSON.stringify(value));
      return json.kind === "array" ? json.items : [];
    };
    for (const value of [[{ a: { b: 1 } }], [1, { a: 1 }], [], [{}], [Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`c${at}`, at]))]]) {
      expect(columnsOf(items(value))).toBeNull();
    }
  });

  it("begins with a part of a long list, and shows all of it when asked", () => {
    const { container } = show(Array.from({ length: 120 }, (_, at) => `item ${at}`));
    expect(container.querySelectorAll("li")).toHaveLength(MAX_ENTRIES_SHOWN);
    fireEvent.click(screen.getByRole("button", { name: "Show all 120" }));
    expect(container.querySelectorAll("li")).toHaveLength(120);
  });

  it("cuts a name that would take all the room", () => {
    const { container } = show({ ["n".repeat(4_000)]: 1, rows: [{ ["m".repeat(4_000)]: 2 }] });
    expect(container.textContent?.length).toBeLessThan(300);
  });

  it("folds a long text, and leaves what is very deep as JSON", () => {
    const { container } = show({ long: "x".repeat(5_000), a: { b: { c: { d: { e: { f: "deep" } } } } } });
    expect(container.textContent?.length).toBeLessThan(2_000);
    expect(container.querySelector("code")?.textContent).toContain('"f": "deep"');
    fireEvent.click(screen.getByRole("button", { name: "Show the whole text" }));
    expect(container.textContent?.length).toBeGreaterThan(5_000);
  });

  it("is plain text, whatever it holds", () => {
    const { container } = show({ "<img src=x onerror=alert(1)>": "<script>alert(1)</script> [a](javascript:alert(1))", "b\u202Exe.gnp": "c\u202Ed" });
    expect(container.querySelector("img, script, a")).toBeNull();
    expect(container.textContent).toContain("<script>alert(1)</script>");
    expect(container.textContent).not.toContain("\u202E");
  });
});
