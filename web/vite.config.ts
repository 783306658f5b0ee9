import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import MessageFormat from "@messageformat/core"
import compileModule from "@messageformat/core/compile-module.js"
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

/** A catalogue, asked for as `xx.json?words`, arrives as functions: its messages of ICU MessageFormat are compiled here. */
function words(): Plugin {
  const QUERY = "?words"
  const MARK = "\0words:"
  return {
    name: "words",
    enforce: "pre",
    async resolveId(source, importer) {
      if (!source.endsWith(QUERY)) return null
      const file = await this.resolve(source.slice(0, -QUERY.length), importer, { skipSelf: true })
      return file && MARK + file.id.replace(/json$/, "js")
    },
    load(id) {
      if (!id.startsWith(MARK)) return null
      const file = id.slice(MARK.length).replace(/js$/, "json")
      this.addWatchFile(file)
      const language = file.match(/(\w+)\.json$/)![1]!
      const code = compileModule(new MessageFormat(language), JSON.parse(readFileSync(file, "utf8")))
      // Numbers have a real minus sign, in messages as everywhere on the page.
      const own = code.replace(
        /import \{ (.*)\bnumber\b(?:, )?(.*) \} from "@messageformat\/runtime"/,
        (_, before, after) => {
          const others = `${before}${after}`.replace(/, $/, "")
          return `import { number } from "${here("src/words/number.ts")}"${others ? `\nimport { ${others} } from "@messageformat/runtime"` : ""}`
        },
      )
      return { code: own, map: null }
    },
  }
}

export default defineConfig({
  plugins: [rules(), words(), svelte(), finish()],
  resolve: {
    alias: {
      $schema: here("../docs/schema"),
      $games: here("../src/sobremesa/games"),
      $page: here("src"),
      $tests: here("tests"),
    },
    // The games' parts lie in the games' folders, where there is no node_modules.
    dedupe: ["svelte", "@messageformat/runtime"],
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
