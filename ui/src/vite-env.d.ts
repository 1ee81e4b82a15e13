/// <reference types="vite/client" />

declare module "#bridge" {
  export const bridge: import("./host/contract").Bridge;
}
