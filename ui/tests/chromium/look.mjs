// axe in a page.
import axe from "axe-core";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** Evaluated by the debugger, not by the page: the content policy stays as it is in the real window. */
export const prepare = (page) => page.evaluate(axe.source);

/** What axe finds, one text each. */
export async function look(page) {
  const { violations } = await page.evaluate(
    (tags) => globalThis.axe.run(document, { runOnly: { type: "tag", values: tags }, resultTypes: ["violations"] }),
    TAGS,
  );
  return violations.map(({ id, help, nodes }) => `${id}: ${help}\n    ${nodes.slice(0, 3).map(({ target, failureSummary }) => `${target.join(" ")} ${failureSummary?.split("\n").slice(1, 2).join(" ").trim()}`).join("\n    ")}`);
}
