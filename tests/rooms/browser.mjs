// Runs a Python program in Pyodide, a browser's Python, with the rooms and what they need: node browser.mjs ROOT PROGRAM
import { readFileSync, readdirSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import { pathToFileURL } from "node:url"

const [root, program] = process.argv.slice(2)
const { loadPyodide } = await import(pathToFileURL(join(root, "web/node_modules/pyodide/pyodide.mjs")))
const python = await loadPyodide()
const wheels = join(root, "build/browser")
for (const wheel of readdirSync(wheels))
  python.unpackArchive(new Uint8Array(readFileSync(join(wheels, wheel))), "zip", { extractDir: "/packages" })

/** Copies a folder of the source; everything that the layers below the server hold. */
function copy(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const inside = `/packages/${relative(join(root, "src"), path)}`
    if (statSync(path).isDirectory()) {
      if (name === "__pycache__") continue
      python.FS.mkdirTree(inside)
      copy(path)
    } else python.FS.writeFile(inside, new Uint8Array(readFileSync(path)))
  }
}
for (const layer of ["core", "games", "table", "rooms"]) {
  python.FS.mkdirTree(`/packages/sobremesa/${layer}`)
  copy(join(root, "src/sobremesa", layer))
}
python.FS.writeFile("/packages/sobremesa/__init__.py", new Uint8Array(readFileSync(join(root, "src/sobremesa/__init__.py"))))
python.runPython("import sys; sys.path.insert(0, '/packages')")
try {
  console.log(python.runPython(program))
} catch (error) {
  console.error(String(error.message).slice(-2000))
  process.exit(1)
}
