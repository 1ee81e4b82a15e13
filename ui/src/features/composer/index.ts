export { Composer, type ComposerProps } from "./Composer";
export type { ComposerHandle } from "./ComposerView";
