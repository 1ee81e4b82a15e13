// One key press, one answer: after an answer by key nothing more is taken until that key was let go.
let held = false;
let listening = false;

function release(): void {
  held = false;
}

function listen(): void {
  if (listening) return;
  listening = true;
  window.addEventListener("keyup", release, true);
  window.addEventListener("blur", release);
}

/** Whether this key may answer now. */
export function keyMayAnswer(event: { repeat: boolean; ctrlKey: boolean; metaKey: boolean; altKey: boolean }): boolean {
  listen();
  return !held && !event.repeat && !event.ctrlKey && !event.metaKey && !event.altKey;
}

/** A key has answered. */
export function keyAnswered(): void {
  listen();
  held = true;
}
