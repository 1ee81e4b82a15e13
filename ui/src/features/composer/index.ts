export { Composer, type ComposerProps } from "./Composer";
export { ForkDialog } from "./ForkDialog";
export type { ComposerHandle } from "./ComposerView";
