export { DropZone, useNoStrayDrops } from "./DropZone";
export { FolderTrust } from "./FolderTrust";
export { schemaName } from "./schema";
export { SentFiles } from "./SentFiles";
export { type Extras, handOnSchema, NEEDS_TEXT, type Taken, useExtras } from "./useExtras";
