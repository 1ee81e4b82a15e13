// Bounds of the composer.

/** Characters kept in the text field itself; a paste that goes past them becomes a chip. */
export const MAX_FIELD_CHARS = 50_000;
/** Rows the field grows to before it scrolls. */
export const MAX_FIELD_ROWS = 12;
/** Milliseconds of rest before a draft is saved. */
export const DRAFT_SAVE_MS = 400;
