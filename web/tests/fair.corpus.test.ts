/** The page's verifier and the library's say the same of records, true and forged: `tests/table/test_two_verifiers.py` writes
 * them down with what the library says, and runs this. */
import { existsSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { check, type FairRecord } from "$page/fair"

const corpus = process.env.FAIR_CORPUS ?? ""

it.runIf(existsSync(corpus))(
  "says of every record what the library says",
  () => {
    const lines = readFileSync(corpus, "utf-8").trim().split("\n")
    const differ = lines.filter((line) => {
      const { record, fair } = JSON.parse(line) as { record: FairRecord; fair: boolean }
      return (check(record, null).kind === "unseen") !== fair
    })
    expect(differ).toEqual([])
    expect(lines.length).toBe(Number(process.env.FAIR_CORPUS_LINES))
  },
  600_000,
)
