/** Words as whoever shows them hears of them. */
import { flushSync } from "svelte"
import { expect, test } from "vitest"
import { GAMES } from "$page/games/registry.svelte"
import { learnWords, speak, t } from "$page/words/words.svelte"

test("words that are here already change nothing for whoever shows them", async () => {
  const [game] = Object.keys(GAMES) as [string]
  await speak("en")
  await learnWords(game)
  let shown = 0
  const stop = $effect.root(() => {
    $effect(() => {
      t("page.table")
      shown += 1
    })
  })
  flushSync()
  await learnWords(game)
  await learnWords("brought-by-a-guest")
  flushSync()
  expect(shown).toBe(1)
  await speak("fr")
  flushSync()
  expect(shown).toBe(2)
  stop()
  await speak("en")
})
