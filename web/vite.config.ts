import { fileURLToPath } from "node:url"
import { svelte } from "@sveltejs/vite-plugin-svelte"
import { marked } from "marked"
import { defineConfig, type Plugin } from "vite"
import { finish } from "./worker/plugin.ts"

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** A game's rules, written once in Markdown for terminal and page, arrive here as HTML. */
function rules(): Plugin {
  return {
    name: "rules",
    transform(text, id) {
      if (!id.endsWith(".md")) return null
      return { code: `export default ${JSON.stringify(marked.parse(text, { async: false }))}`, map: null }
    },
  }
}

export default defineConfig({
  plugins: [rules(), svelte(), finish()],
  resolve: {
    alias: {
      $schema: here("../docs/schema"),
      $games: here("../src/sobremesa/games"),
      $page: here("src"),
      $tests: here("tests"),
    },
    // The games' parts lie in the games' folders, where there is no node_modules.
    dedupe: ["svelte"],
  },
  build: {
    outDir: here("../src/sobremesa/server/page"),
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      checks: { pluginTimings: false },
      input: { index: here("index.html"), worker: here("worker/worker.ts") },
      // The worker's name stays: browsers ask for it again to learn of a new build.
      output: { entryFileNames: ({ name }) => (name === "worker" ? "worker.js" : "assets/[name]-[hash].js") },
    },
  },
  server: {
    fs: { allow: [here("..")] },
    proxy: { "/api": { target: process.env["SOBREMESA"] ?? "http://127.0.0.1:8765", ws: true, changeOrigin: false } },
  },
})
