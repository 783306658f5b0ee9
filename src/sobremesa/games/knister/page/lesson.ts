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
    title: t("One roll for everybody"),
    text: [
      t(
        "Welcome to Knister. In each of 25 rounds two dice are rolled, and everybody writes the sum into a free cell of their own sheet.",
      ),
      t("The first roll is an 8. What is written stays."),
    ],
    from: `${START} roll=8 sheets=.........................`,
    task: {
      say: t("Write the 8 into any cell."),
      right: () => true,
      wrong: () => "",
      done: () => t("There it stands. The dice have been rolled again at once."),
      show: ["a1"],
      outcome: "7",
    },
  },
  {
    title: t("Twelve lines"),
    text: [
      t(
        "Five rows, five columns and the two diagonals score: twelve lines. Every cell lies on at least two of them, the corners on three.",
      ),
      t("One cell lies on four lines at once."),
    ],
    from: `${START} roll=7 sheets=8........................`,
    task: {
      say: t("Write the 7 into the cell that lies on four lines."),
      right: (move) => move === "c3",
      wrong: () => t("That one lies on fewer lines. Which cell is crossed by a row, a column and both diagonals?"),
      done: () => t("The very middle. Give it a number that you trust."),
      show: ["c3"],
      outcome: "8",
    },
  },
  {
    title: t("The same number"),
    text: [
      t(
        "A full line scores its best combination. A pair brings 1 point, two pairs or three of a kind 3, four of a kind 6, five of a kind 10.",
      ),
      t("You have two eights in one row, and rolled another."),
    ],
    from: `${START} roll=8 sheets=..........88.............`,
    task: {
      say: t("Write the 8 into the row with the other two."),
      right: (move) => ["c3", "d3", "e3"].includes(move),
      wrong: () => t("There it is on its own. Put it into the row with the two eights."),
      done: () => t("Three of a kind, and room for more. The points count once the line is full."),
      show: ["d3"],
      outcome: "9",
    },
  },
  {
    title: t("Full house"),
    text: [t("Three of one number and two of another make a full house: 8 points. The order does not matter.")],
    from: `${START} roll=9 sheets=.......6..88..84944......`,
    task: {
      say: t("Complete the full house with the 9."),
      right: (move) => move === "e4",
      wrong: () => t("Look for the row with three fours and a nine: its last cell wants this 9."),
      done: () => t("4 9 4 4 9 is a full house. The row is full, so its 8 points stand in the margin."),
      show: ["e4"],
      outcome: "6",
    },
  },
  {
    title: t("A straight"),
    text: [
      t("Five numbers that follow one another are a straight, in any order. With a 7 in it, it brings 8 points."),
      t("Columns count just like rows. One of them lacks a single number."),
    ],
    from: `${START} roll=6 sheets=.7....A.5..8.........9.6.`,
    task: {
      say: t("Complete the straight with the 6."),
      right: (move) => move === "b4",
      wrong: () => t("One column holds 7, 8, 9 and 10 already. Finish it with the 6."),
      done: () => t("6 7 8 9 10, though not in that order: 8 points."),
      show: ["b4"],
      outcome: "6",
    },
  },
  {
    title: t("Without a 7"),
    text: [
      t(
        "A 7 is rolled most often. A straight without one is rarer, and brings 12 points: only 2 to 6 and 8 to 12 can do that.",
      ),
      t("This 6 would make four of a kind for 6 points. But there is something better."),
    ],
    from: `${START} roll=6 sheets=.....35.24..9..66.6......`,
    task: {
      say: t("Find the best place for the 6."),
      right: (move) => move === "c2",
      wrong: () => t("Not bad, but one row waits for a 6 to become a straight of 2, 3, 4, 5 and 6."),
      done: () => t("2 3 4 5 6 without a 7: 12 points, the best combination of all."),
      show: ["c2"],
      outcome: "7",
    },
  },
  {
    title: t("Nearly a straight"),
    text: [t("Four numbers in a row are no straight, and bring nothing at all. The row with 2, 3, 4 and 5 needs a 6.")],
    from: `${START} roll=7 sheets=2345..9......8......77.8.`,
    task: {
      say: t("Write the 7 where it helps, and keep the place for the 6 free."),
      right: (move) => ["c5", "e5"].includes(move),
      wrong: (move) =>
        move === "e1"
          ? t("With a 7 that row would be worth nothing. Keep the cell for a 6.")
          : t("The place for the 6 stays free, good. But there are two sevens that would like a third."),
      done: () => t("Three sevens, and the straight can still come."),
      show: ["c5"],
      outcome: "5",
    },
  },
  {
    title: t("Diagonals count double"),
    text: [
      t(
        "The two diagonals, from corner to corner, count twice. Three of a kind is 6 there, and a straight without a 7 even 24.",
      ),
    ],
    from: `${START} roll=5 sheets=5...6.5.8.8...9...5.4...9`,
    task: {
      say: t("Complete a diagonal with the 5."),
      right: (move) => move === "c3",
      wrong: () => t("Look along the slanting line from the bottom left: three fives are waiting for a fourth."),
      done: () => t("Four fives are 6 points, and on a diagonal 2 × 6 = 12."),
      show: ["c3"],
      outcome: "8",
    },
  },
  {
    title: t("What brings most?"),
    text: [
      t("Four cells are left, and the roll is a 9. Each cell completes other lines, some more than one."),
      t("This time, find it yourself."),
    ],
    from: `${START} roll=9 sheets=.5.84B6A64..9847696465A89`,
    task: {
      say: t("Write the 9 where it brings the most points at once."),
      right: (move) => move === "a1",
      wrong: (_move, now, after) =>
        t("That would bring {points} points. One cell brings 16.", {
          points: points(after) - points(now),
        }),
      done: () => t("16 points with one number: well seen."),
      show: ["a1"],
      outcome: "7",
    },
  },
  {
    title: t("The last number"),
    text: [
      t("Round 25: one free cell, so there is no choice. Then the twelve lines are added up, and the most points win."),
    ],
    from: `${START} roll=10 sheets=97.6837555478569797A77BB7`,
    task: {
      say: t("Write the last number."),
      right: () => true,
      wrong: () => "",
      done: (after) =>
        t(
          "{points} points! When you play alone, more than {good} is good, more than {great} great, and more than {spectacular} spectacular.",
          { points: points(after), ...RANKS },
        ),
      show: ["c1"],
    },
  },
]
