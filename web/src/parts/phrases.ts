import { later } from "../words/words.svelte"

/** The quick phrases, as this page says them. Their keys are the server's. */
export const PHRASES: Record<string, string> = {
  hello: later("page.phrase.hello"),
  "good luck": later("page.phrase.good-luck"),
  "your turn": later("page.phrase.your-turn"),
  "nice move": later("page.phrase.nice-move"),
  oops: later("page.phrase.oops"),
  "one moment": later("page.phrase.one-moment-please"),
  "thank you": later("page.phrase.thank-you"),
  "well played": later("page.phrase.well-played"),
  "again?": later("page.phrase.again"),
  bye: later("page.phrase.bye"),
}
