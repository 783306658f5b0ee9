import { later } from "../words/words.svelte"

/** The quick phrases, as this page says them. Their keys are the server's. */
export const PHRASES: Record<string, string> = {
  hello: later("Hello!"),
  "good luck": later("Good luck!"),
  "your turn": later("Your turn!"),
  "nice move": later("Nice move!"),
  oops: later("Oops!"),
  "one moment": later("One moment, please."),
  "thank you": later("Thank you!"),
  "well played": later("Well played!"),
  "again?": later("Again?"),
  bye: later("Bye!"),
}
