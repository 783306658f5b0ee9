/** Finishes what Vite has built: tells the service worker its files, and packs everything as small as it goes. */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import type { Plugin } from "vite"

const WORKER = "worker.js"
/** Fonts and pictures are small already; the server completes the manifest. */
const PACKED = /\.(js|css|html|svg|json)$/
/** Pictures for the system's launcher: the page itself never shows them. */
const APART = /\.png$/

export function finish(): Plugin {
  return {
    name: "finish",
    apply: "build",
    writeBundle({ dir }) {
      if (!dir) throw new Error("the page is built into a folder")
      const files = readdirSync(dir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
      const build = createHash("sha256")
      for (const file of files.sort()) build.update(file.slice(dir.length)).update(readFileSync(file))
      const addresses = files
        .map((file) =>
          file
            .slice(dir.length)
            .replaceAll("\\", "/")
            .replace(/^\/index\.html$/, "/"),
        )
        .filter((path) => path !== `/${WORKER}` && !APART.test(path))
      const worker = join(dir, WORKER)
      const definitions = { FILES: addresses, BUILD: build.digest("hex").slice(0, 12) }
      writeFileSync(
        worker,
        Object.entries(definitions)
          .map(([name, value]) => `const ${name} = ${JSON.stringify(value)}\n`)
          .join("") + readFileSync(worker, "utf8"),
      )
      for (const file of files.filter((file) => PACKED.test(file))) {
        const text = readFileSync(file)
        writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }))
        writeFileSync(
          `${file}.br`,
          brotliCompressSync(text, {
            params: {
              [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
              [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
            },
          }),
        )
      }
    },
  }
}
