// Marks the searched words inside a row without touching its elements, where the web view can.

/** Name of the highlight in the style sheet. */
const NAME = "found";
/** Marks inside one row at most. */
const MAX_MARKS = 200;

export function highlightWords(frame: HTMLElement | null, hit: { row: string; query: string } | null): void {
  if (typeof CSS === "undefined" || !("highlights" in CSS) || typeof Highlight === "undefined") return;
  CSS.highlights.delete(NAME);
  if (!frame || !hit || hit.query === "") return;
  const row = frame.querySelector(`[data-row="${CSS.escape(hit.row)}"]`);
  if (!row) return;
  const wanted = hit.query.toLowerCase();
  const marks: Range[] = [];
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && marks.length < MAX_MARKS; node = walker.nextNode()) {
    const text = node.nodeValue?.toLowerCase() ?? "";
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      marks.push(range);
    }
  }
  if (marks.length > 0) CSS.highlights.set(NAME, new Highlight(...marks));
}
