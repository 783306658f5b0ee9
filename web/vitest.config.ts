import { mergeConfig } from "vite"
import { defineConfig } from "vitest/config"
import page from "./vite.config.ts"

export default mergeConfig(
  page,
  defineConfig({
    // Runes as they run in a browser, not as a server would render them.
    resolve: { conditions: ["browser"] },
    test: {
      include: ["tests/**/*.test.ts", "../src/sobremesa/games/*/page/**/*.test.ts"],
      environment: "happy-dom",
      setupFiles: ["tests/speak.ts"],
      // One environment for all files: none leaves anything behind, and making one costs more than the tests.
      isolate: false,
      pool: "threads",
      restoreMocks: true,
      unstubGlobals: true,
    },
  }),
)
