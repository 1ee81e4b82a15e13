// What is wrong in a page as it stands: overflow to the side, cut labels, small targets.
import { settled } from "./window.mjs";

/** Operable things are at least this wide and high (px), WCAG 2.5.8. */
const LEAST_TARGET = 24;

/** WCAG 1.4.12. */
const SPACING = "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }";

/** What sticks out of the window sideways, or makes a part of it scroll sideways that should not. */
function sticksOut(root) {
  const width = document.documentElement.clientWidth;
  const found = [];
  if (document.documentElement.scrollWidth > width) found.push(`the page is ${document.documentElement.scrollWidth} px wide, the window ${width} px`);
  const mayScroll = (element) => element.closest("pre, table, [data-scrolls-sideways], .visually-hidden, [aria-hidden='true']") !== null;
  for (const element of document.querySelectorAll(`${root} *`)) {
    if (mayScroll(element)) continue;
    const style = getComputedStyle(element);
    const name = `${element.tagName.toLowerCase()}.${String(element.className?.baseVal ?? element.className).slice(0, 60)}`;
    if (["auto", "scroll"].includes(style.overflowX) && element.scrollWidth > element.clientWidth + 1) found.push(`${name} scrolls sideways: ${element.scrollWidth} in ${element.clientWidth} px`);
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0 || style.position === "fixed") continue;
    let clipped = false;
    for (let parent = element.parentElement; parent && !clipped; parent = parent.parentElement) clipped = getComputedStyle(parent).overflowX !== "visible" && parent.getBoundingClientRect().right <= width + 1;
    if (!clipped && (box.right > width + 1 || box.left < -1)) found.push(`${name} reaches from ${Math.round(box.left)} to ${Math.round(box.right)} of ${width} px`);
  }
  return [...new Set(found)].slice(0, 6);
}

/** Buttons, tabs and options whose own word is cut off without an ellipsis. */
function clippedLabels(root) {
  return [...document.querySelectorAll(["button", "label", "h1", "h2", "dt"].map((each) => `${root} ${each}`).join(", "))]
    .filter((element) => {
      const style = getComputedStyle(element);
      return style.overflow === "hidden" && style.textOverflow !== "ellipsis" && !element.closest(".visually-hidden") && (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1);
    })
    .map((element) => element.textContent?.slice(0, 60))
    .slice(0, 5);
}

/** The separator of the sidebar is left out: the arrow keys do the same (WCAG 2.5.8, equivalent). */
function smallTargets({ root, least }) {
  const operable = "a[href], button, input:not([type=hidden]), textarea, select, summary, [role=button], [role=switch], [role=radio], [role=option], [role=menuitem]";
  return [...document.querySelectorAll(`${root} :is(${operable})`)]
    .filter((element) => element.getClientRects().length > 0 && !element.closest(".visually-hidden") && !element.classList.contains("visually-hidden"))
    .filter((element) => !(element instanceof HTMLAnchorElement && getComputedStyle(element).display === "inline"))
    .filter((element) => !element.hasAttribute("aria-hidden") && !element.closest("[aria-hidden='true']"))
    .map((element) => ({ element, box: (element.closest("label") ?? element).getBoundingClientRect() }))
    .filter(({ box }) => box.width > 1 && (box.width < least - 0.5 || box.height < least - 0.5))
    .map(({ element, box }) => `${element.getAttribute("aria-label") ?? element.textContent?.slice(0, 40)}: ${Math.round(box.width)} × ${Math.round(box.height)}`)
    .slice(0, 6);
}

/** Everything that is wrong in a page as it stands, or in the part of it that is named. */
export async function wrong(page, root = "#root") {
  return [
    ...(await page.evaluate(sticksOut, root)),
    ...(await page.evaluate(clippedLabels, root)).map((each) => `cut label "${each}"`),
    ...(await page.evaluate(smallTargets, { root, least: LEAST_TARGET })).map((each) => `small target ${each}`),
  ];
}

/** What sticks out when the text is spaced widely; the page is as before afterwards. */
export async function wrongWhenSpaced(page, root = "#root") {
  const style = await page.addStyleTag({ content: SPACING });
  await settled(page);
  const found = await page.evaluate(sticksOut, root);
  await style.evaluate((element) => element.remove());
  return found.map((each) => `with text spacing: ${each}`);
}
