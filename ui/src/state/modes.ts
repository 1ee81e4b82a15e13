import type { PermissionMode } from "../host";

/** The four modes that a chat offers, in the words of the app. */
export const MODE_NAME: Record<PermissionMode["mode"], string> = {
  default: "Ask",
  accept_edits: "Edit freely",
  plan: "Plan",
  full_access: "Full",
  read_only: "Read only",
  custom: "Custom",
};

export function modeKey(mode: PermissionMode): string {
  return mode.mode === "custom" ? `custom:${mode.name}` : mode.mode;
}
