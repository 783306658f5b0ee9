/** Tests of the page hear English, the house's and that of all games. */
import catalogue from "$schema/catalogue.json"
import { learnWords, speak } from "$page/words/words.svelte"

await speak("en")
await Promise.all(Object.keys(catalogue).map(learnWords))
