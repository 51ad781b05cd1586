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
      input: { annotate: "annotate.html", view: "view.html" },
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "[name].js",
        assetFileNames: "[name][extname]",
        // What both pages use is one file, under a name that does not hang on what happens to be in it.
        codeSplitting: { groups: [{ name: "shared", test: /src\/shared\/|node_modules\// }] },
      },
    },
  },
});
