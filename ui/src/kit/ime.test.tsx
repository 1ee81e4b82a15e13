import { fireEvent, render } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { COMPOSITION_TAIL_MS, useIme } from "./ime";

function Field({ act, now }: { act: () => void; now: () => number }) {
  const ime = useIme(now);
  return <input {...ime.handlers} onKeyDown={(event) => (event.key === "Enter" && !ime.composing(event) ? act() : undefined)} />;
}

function stand() {
  let time = 0;
  const act = vi.fn();
  const clock = () => time;
  const field = render(<Field act={act} now={clock} />).container.querySelector("input") as HTMLInputElement;
  return { act, field, at: (next: number) => (time = next), enter: (init: object = {}) => fireEvent.keyDown(field, { key: "Enter", ...init }) };
}

describe("a text field and an input method", () => {
  it("acts on an ordinary Enter", () => {
    const { act, enter } = stand();
    enter();
    expect(act).toHaveBeenCalledOnce();
  });

  it("does nothing while a word is composed", () => {
    const { act, enter, field } = stand();
    fireEvent.compositionStart(field);
    enter();
    expect(act).not.toHaveBeenCalled();
  });

  it("does nothing for a key that the input method has taken", () => {
    const { act, enter } = stand();
    enter({ keyCode: 229 });
    enter({ isComposing: true });
    expect(act).not.toHaveBeenCalled();
  });

  it("does nothing right after the composition, and acts again after that", () => {
    const { act, enter, field, at } = stand();
    fireEvent.compositionStart(field);
    at(1_000);
    fireEvent.compositionEnd(field);
    at(1_000 + COMPOSITION_TAIL_MS - 1);
    enter();
    expect(act).not.toHaveBeenCalled();
    at(1_000 + COMPOSITION_TAIL_MS);
    enter();
    expect(act).toHaveBeenCalledOnce();
  });
});
