import { fileURLToPath } from "node:url"
import { vitePreprocess } from "@sveltejs/vite-plugin-svelte"

export default {
  preprocess: vitePreprocess(),
  // Names are made from where files lie in the repository, not on this machine: the same page comes out of any folder.
  compilerOptions: { rootDir: fileURLToPath(new URL("..", import.meta.url)) },
}
