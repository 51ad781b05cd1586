import { defineConfig } from "vite";

// One entry a page. The bundle is committed, so names are stable and nothing depends on where it was built.
export default defineConfig({
  base: "/assets/",
  publicDir: "public",
  build: {
    outDir: "../src/beholder/web/static",
    emptyOutDir: true,
    target: "es2022",
    sourcemap: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { annotate: "annotate.html" },
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "[name].js",
        assetFileNames: "[name][extname]",
      },
    },
  },
});
