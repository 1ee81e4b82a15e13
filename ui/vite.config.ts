import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The oldest web view that is supported; WebKitGTK 2.40 and macOS 13 carry it. */
const TARGET = "safari16";

export default defineConfig(({ mode }) => ({
  base: "./",
  plugins: [react()],
  clearScreen: false,
  server: { host: "127.0.0.1", port: 5173, strictPort: true },
  preview: { host: "127.0.0.1", strictPort: true },
  resolve: {
    alias: {
      // The one switch between the real window and the scripted one: everything else imports "#bridge".
      "#bridge": here(mode === "mock" || mode === "test" ? "./src/host/mock/bridge.ts" : "./src/host/bridge.ts"),
    },
  },
  css: { transformer: "lightningcss", lightningcss: { targets: { safari: 16 << 16 } } },
  worker: { format: "es" },
  build: {
    target: TARGET,
    cssTarget: TARGET,
    outDir: "dist",
    emptyOutDir: true,
    // Fonts and images stay files: the content policy has no data: for fonts, and workers must not be blobs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 900,
  },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}", "scripts/**/*.test.mjs"],
    setupFiles: ["./src/test-setup.ts"],
    restoreMocks: true,
    css: { modules: { classNameStrategy: "non-scoped" } },
  },
}));
