// Where Tab would go.

const TABBABLE = "a[href], button:not([disabled]), input:not([disabled]), textarea:not([disabled]), select:not([disabled]), summary, [tabindex]";

/** Gives the focus to what comes after an element in the order of Tab, as Tab itself would. */
export function focusAfter(element: HTMLElement): void {
  const inOrder = [...document.querySelectorAll<HTMLElement>(TABBABLE)].filter((each) => each.tabIndex >= 0 && (each === element || (!element.contains(each) && isShown(each))));
  inOrder[inOrder.indexOf(element) + 1]?.focus();
}

function isShown(element: HTMLElement): boolean {
  return typeof element.checkVisibility === "function" ? element.checkVisibility() && element.closest("[inert]") === null : true;
}
