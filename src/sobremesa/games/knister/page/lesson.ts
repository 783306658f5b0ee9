/** Knister in ten steps. */
import { knister as box } from "$schema/games.json"
import { viewOf } from "$page/games/steps"
import type { KnisterView, Position } from "$page/net/types"
import { t } from "$page/words/words.svelte"
import { LEARNER, type LessonStep } from "$page/learn/lesson.svelte"

const START = "knister seats=1 starter=0"

/** What must be surpassed for each word that the solitaire game has for a total (K7). */
const RANKS = Object.fromEntries(box.ranks.map(({ least, word }) => [word, least - 1]))

/** The points of all lines that are full. */
function points(now: Position): number {
  const { lines } = viewOf(now.steps.at(-1)!, LEARNER) as KnisterView
  return lines!.reduce<number>((sum, line) => sum + (line ?? 0), 0)
}

export const lesson = (): LessonStep[] => [
  {
    title: t("knister.lesson.one-roll-for-everybody"),
    text: [t("knister.lesson.welcome-to-knister"), t("knister.lesson.the-first-roll-is-an-8")],
    from: `${START} roll=8 sheets=.........................`,
    task: {
      say: t("knister.lesson.write-the-8-into-any-cell"),
      right: () => true,
      wrong: () => "",
      done: () => t("knister.lesson.there-it-stands"),
      show: ["a1"],
      outcome: "7",
    },
  },
  {
    title: t("knister.lesson.twelve-lines"),
    text: [t("knister.lesson.five-rows-five-columns-and-the-two"), t("knister.lesson.one-cell-lies-on-four-lines")],
    from: `${START} roll=7 sheets=8........................`,
    task: {
      say: t("knister.lesson.write-the-7-into-the-cell"),
      right: (move) => move === "c3",
      wrong: () => t("knister.lesson.that-one-lies-on-fewer-lines"),
      done: () => t("knister.lesson.the-very-middle"),
      show: ["c3"],
      outcome: "8",
    },
  },
  {
    title: t("knister.lesson.the-same-number"),
    text: [t("knister.lesson.a-full-line-scores-its-best"), t("knister.lesson.you-have-two-eights-in-one")],
    from: `${START} roll=8 sheets=..........88.............`,
    task: {
      say: t("knister.lesson.write-the-8-into-the-row"),
      right: (move) => ["c3", "d3", "e3"].includes(move),
      wrong: () => t("knister.lesson.there-it-is-on-its-own"),
      done: () => t("knister.lesson.three-of-a-kind-and-room"),
      show: ["d3"],
      outcome: "9",
    },
  },
  {
    title: t("knister.lesson.full-house"),
    text: [t("knister.lesson.three-of-one-number-and-two")],
    from: `${START} roll=9 sheets=.......6..88..84944......`,
    task: {
      say: t("knister.lesson.complete-the-full-house-with-the-9"),
      right: (move) => move === "e4",
      wrong: () => t("knister.lesson.look-for-the-row-with-three"),
      done: () => t("knister.lesson.4-9-4-4-9-is-a-full"),
      show: ["e4"],
      outcome: "6",
    },
  },
  {
    title: t("knister.lesson.a-straight"),
    text: [t("knister.lesson.five-numbers-that-follow-one-another"), t("knister.lesson.columns-count-just-like-rows")],
    from: `${START} roll=6 sheets=.7....A.5..8.........9.6.`,
    task: {
      say: t("knister.lesson.complete-the-straight-with-the-6"),
      right: (move) => move === "b4",
      wrong: () => t("knister.lesson.one-column-holds-7-8-9"),
      done: () => t("knister.lesson.6-7-8-9-10-though"),
      show: ["b4"],
      outcome: "6",
    },
  },
  {
    title: t("knister.lesson.without-a-7"),
    text: [t("knister.lesson.a-7-is-rolled-most-often"), t("knister.lesson.this-6-would-make-four-of-a-kind")],
    from: `${START} roll=6 sheets=.....35.24..9..66.6......`,
    task: {
      say: t("knister.lesson.find-the-best-place-for-the-6"),
      right: (move) => move === "c2",
      wrong: () => t("knister.lesson.not-bad-but-one-row-waits"),
      done: () => t("knister.lesson.2-3-4-5-6-without"),
      show: ["c2"],
      outcome: "7",
    },
  },
  {
    title: t("knister.lesson.nearly-a-straight"),
    text: [t("knister.lesson.four-numbers-in-a-row-are")],
    from: `${START} roll=7 sheets=2345..9......8......77.8.`,
    task: {
      say: t("knister.lesson.write-the-7-where-it-helps"),
      right: (move) => ["c5", "e5"].includes(move),
      wrong: (move) =>
        move === "e1" ? t("knister.lesson.with-a-7-that-row-would") : t("knister.lesson.the-place-for-the-6-stays"),
      done: () => t("knister.lesson.three-sevens-and-the-straight-can"),
      show: ["c5"],
      outcome: "5",
    },
  },
  {
    title: t("knister.lesson.diagonals-count-double"),
    text: [t("knister.lesson.the-two-diagonals-from-corner-to-corner")],
    from: `${START} roll=5 sheets=5...6.5.8.8...9...5.4...9`,
    task: {
      say: t("knister.lesson.complete-a-diagonal-with-the-5"),
      right: (move) => move === "c3",
      wrong: () => t("knister.lesson.look-along-the-slanting-line-from"),
      done: () => t("knister.lesson.four-fives-are-6-points-and-on-a-diagonal"),
      show: ["c3"],
      outcome: "8",
    },
  },
  {
    title: t("knister.lesson.what-brings-most"),
    text: [t("knister.lesson.four-cells-are-left-and-the-roll"), t("knister.lesson.this-time-find-it-yourself")],
    from: `${START} roll=9 sheets=.5.84B6A64..9847696465A89`,
    task: {
      say: t("knister.lesson.write-the-9-where-it-brings"),
      right: (move) => move === "a1",
      wrong: (_move, now, after) =>
        t("knister.lesson.that-would-bring-points", {
          points: points(after) - points(now),
        }),
      done: () => t("knister.lesson.16-points-with-one-number"),
      show: ["a1"],
      outcome: "7",
    },
  },
  {
    title: t("knister.lesson.the-last-number"),
    text: [t("knister.lesson.round-25")],
    from: `${START} roll=10 sheets=97.6837555478569797A77BB7`,
    task: {
      say: t("knister.lesson.write-the-last-number"),
      right: () => true,
      wrong: () => "",
      done: (after) => t("knister.lesson.points-when-you-play", { points: points(after), ...RANKS }),
      show: ["c1"],
    },
  },
]
