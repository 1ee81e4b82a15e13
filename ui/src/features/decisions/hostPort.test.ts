import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Decision } from "../../host";

const { host, applyOwn } = vi.hoisted(() => ({ host: { decide: vi.fn(), decision: vi.fn(), denyReasons: vi.fn() }, applyOwn: vi.fn() }));
vi.mock("../../host", () => ({ host, hostError: (cause: unknown) => cause }));
vi.mock("../../state/live", () => ({ applyOwn }));
const { hostPort, viewOf } = await import("./hostPort");

function decision(more: Partial<Decision> = {}): Decision {
  return {
    id: "d1", chat: "c", chat_title: "Chat", folder: "/w", harness: "claude", turn: "t",
    request: { kind: "plan", request: { id: "a1", plan: { text: "# P", bytes: 3, truncated: false }, path: null } },
    state: "open", blocking: true, opened_at: 1, expires_at: null, answer: null, ...more,
  };
}
const approve = { kind: "plan" as const, answer: { decision: "approve" as const } };

beforeEach(() => {
  host.decide.mockReset();
  host.decision.mockReset();
  applyOwn.mockReset();
});

describe("answers on the host", () => {
  it("sends the answer under the decision's own id and shows what the host stored", async () => {
    const stored = decision({ state: "answered", answer: "approved" });
    host.decide.mockResolvedValue(stored);
    await hostPort(() => {}).answer(viewOf(decision()), approve);
    expect(host.decide).toHaveBeenCalledExactlyOnceWith("d1", approve);
    expect(applyOwn).toHaveBeenCalledExactlyOnceWith({ item: "decision", decision: stored });
  });

  it("shows the other answer when someone was faster, without sending a second one", async () => {
    host.decide.mockRejectedValue({ kind: "already_answered" });
    const other = decision({ state: "delivered", answer: "changes asked for" });
    host.decision.mockResolvedValue(other);
    await hostPort(() => {}).answer(viewOf(decision()), approve);
    expect([host.decide.mock.calls.length, applyOwn.mock.calls[0]?.[0]]).toEqual([1, { item: "decision", decision: other }]);
  });

  it("passes every other failure on", async () => {
    host.decide.mockRejectedValue({ kind: "store" });
    await expect(hostPort(() => {}).answer(viewOf(decision()), approve)).rejects.toEqual({ kind: "store" });
    expect(applyOwn).not.toHaveBeenCalled();
  });

  it("refuses a payload that is still cut", async () => {
    host.decision.mockResolvedValue(decision({ request: { kind: "plan", request: { id: "a1", plan: { text: "#", bytes: 9, truncated: true }, path: null } } }));
    await expect(hostPort(() => {}).payload(viewOf(decision()), "plan")).rejects.toThrow("does not have the whole");
  });

  it("tells its own answer from one that was given elsewhere, also when the feed is sooner than the call", async () => {
    host.decide.mockResolvedValue(decision({ id: "mine", state: "answered", answer: "plan approved" }));
    const answering = hostPort(() => {}).answer(viewOf(decision({ id: "mine" })), approve);
    expect(viewOf(decision({ id: "mine", state: "answered" })).closed).toBe("answered");
    await answering;
    expect(viewOf(decision({ id: "other", state: "answered" })).closed).toBe("elsewhere");
    host.decide.mockRejectedValue({ kind: "already_answered" });
    host.decision.mockResolvedValue(decision({ id: "late", state: "answered" }));
    await hostPort(() => {}).answer(viewOf(decision({ id: "late" })), approve);
    expect(viewOf((applyOwn.mock.calls.at(-1)?.[0] as { decision: Decision }).decision).closed).toBe("elsewhere");
  });

  it("names every end state", () => {
    const closed = (state: Decision["state"]) => viewOf(decision({ state })).closed;
    expect(["open", "answered", "delivered", "expired", "withdrawn", "interrupted", "turn_ended"].map((s) => closed(s as Decision["state"]))).toEqual([
      null, "elsewhere", "elsewhere", "expired", "withdrawn", "restarted", "interrupted",
    ]);
  });
});
