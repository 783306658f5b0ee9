import { t } from "$page/words/words.svelte"

/** Keys, and what they do where numbers are written. */
export const keys = (): [string, string][] => [
  ["← ↑ ↓ →", t("page.go-to-another-cell")],
  ["Enter", t("knister.write-the-number")],
  ["Esc", t("knister.skip-the-counting-at-the-end")],
]
