import { fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { describe, expect, it, vi } from "vitest";
import { Button } from "./Button";
import { keyName } from "./Kbd";
import { STATE_ORDER, STATE_WORD, StateGlyph, StateMark } from "./State";
import { Suggest } from "./Suggest";
import { age, duration } from "./time";

describe("ages and lengths of time", () => {
  const minutes = (count: number) => age(0, count * 60_000);
  it("change their unit at its edge", () => {
    expect([age(0, 59_999), minutes(1), minutes(59), minutes(60), minutes(24 * 60), minutes(14 * 24 * 60)]).toEqual(["now", "1 min", "59 min", "1 h", "1 d", "2 w"]);
    expect(age(5_000, 0)).toBe("now");
    expect([duration(800), duration(1_000), duration(61_000), duration(120_000), duration(3_900_000)]).toEqual(["800 ms", "1 s", "1 min 1 s", "2 min", "1 h 5 min"]);
  });
});

describe("states", () => {
  it("have a word and a shape of their own", () => {
    const shapes = STATE_ORDER.map((state) => render(<StateGlyph state={state} />).container.querySelector("svg")?.innerHTML);
    expect(new Set(shapes).size).toBe(STATE_ORDER.length);
    expect(new Set(Object.values(STATE_WORD)).size).toBe(STATE_ORDER.length);
  });

  it("say their word even where only the glyph is drawn", () => {
    render(<StateMark state="needs" show="glyph" />);
    expect(screen.getByText("Needs you").className).toBe("visually-hidden");
  });
});

describe("keys", () => {
  it("are named as the platform names them", () => {
    expect([keyName("Mod+Shift+A", true), keyName("Mod+Shift+A", false), keyName("F6", true)]).toEqual(["⌘⇧A", "Ctrl+Shift+A", "F6"]);
  });
});

describe("a busy button", () => {
  it("stays in the tab order and does nothing", () => {
    const run = vi.fn();
    render(<Button busy onClick={run}>Save</Button>);
    const button = screen.getByRole("button", { name: "Save" });
    fireEvent.click(button);
    expect(run).not.toHaveBeenCalled();
    expect(button.hasAttribute("disabled")).toBe(false);
    expect(button.getAttribute("aria-disabled")).toBe("true");
  });

  it("does not send a form either", () => {
    const send = vi.fn((event: { preventDefault: () => void }) => event.preventDefault());
    render(<form onSubmit={send}><Button type="submit" busy>Send</Button></form>);
    fireEvent.click(screen.getByRole("button", { name: "Send" }));
    expect(send).not.toHaveBeenCalled();
  });
});

describe("a field with offers", () => {
  function Field({ onTab }: { onTab?: (value: string) => string | null }) {
    const [value, setValue] = useState("");
    const items = ["/srv/one", "/srv/two"].filter((each) => each.startsWith(value)).map((each) => ({ value: each, label: each }));
    return <Suggest label="Folder" value={value} items={items} onChange={setValue} onChoose={setValue} onTab={onTab} />;
  }
  const field = () => screen.getByRole("combobox", { name: "Folder" }) as HTMLInputElement;
  const press = (key: string) => fireEvent.keyDown(field(), { key });

  it("takes an offer by arrow and Enter, and never by Enter alone", () => {
    render(<Field />);
    fireEvent.focus(field());
    press("Enter");
    expect(field().value).toBe("");
    press("ArrowDown");
    press("ArrowDown");
    expect(field().getAttribute("aria-activedescendant")).toBe(screen.getAllByRole("option")[1]?.id);
    press("Enter");
    expect(field().value).toBe("/srv/two");
    expect(screen.queryByRole("listbox")).toBeNull();
  });

  it("completes by Tab, and lets Tab go when nothing is gained", () => {
    render(<Field onTab={(value) => (value === "/s" ? "/srv/" : null)} />);
    fireEvent.change(field(), { target: { value: "/s" } });
    expect(press("Tab")).toBe(false);
    expect(field().value).toBe("/srv/");
    expect(press("Tab")).toBe(true);
  });

  it("closes by Escape without losing the text", () => {
    render(<Field />);
    fireEvent.change(field(), { target: { value: "/srv" } });
    press("Escape");
    expect(screen.queryByRole("listbox")).toBeNull();
    expect(field().value).toBe("/srv");
  });
});
