/** Isis & Osiris in ten steps. */
import games from "$schema/games.json"
import type { Position } from "$page/net/types"
import { t } from "$page/words/words.svelte"
import type { LessonStep } from "$page/learn/lesson.svelte"

const { cells: NAMES, neighbours: NEIGHBOURS } = games["isis-osiris"].editions.standard
const START = "isis-osiris edition=standard seats=2 variant=own memory_aid=off starter=0 turn=0"

const isStone = (move: string) => move.startsWith("S")
const isTurn = (move: string) => move === "T"

/** What lies next to the cell of a move, by the position's text: it knows the values that lie face down. */
function beside(move: string, now: Position): string[] {
  const rows = / cells=(\S+)/.exec(now.position)![1]!.split("/").reverse()
  const pieces = rows.flatMap((row) => row.match(/[.A-D]|[+-]\d/g) ?? [])
  return NEIGHBOURS[NAMES.indexOf(move.slice(1))]!.map((cell) => pieces[cell]!)
}

/** What a stone on that cell would score. */
const worth = (move: string, now: Position) =>
  beside(move, now).reduce((sum, piece) => sum + (/^[+-]/.test(piece) ? Number(piece) : 0), 0)

const signed = (value: number) => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0")

const best = (now: Position) => Math.max(...now.legal[0]!.filter(isStone).map((move) => worth(move, now)))

const NEAR = ["c4", "d3", "c2", "b3", "d4", "b4", "d2", "b2"]

export const lesson = (): LessonStep[] => [
  {
    title: t("isis-osiris.lesson.stones-like-good-neighbours"),
    text: [t("isis-osiris.lesson.welcome-to-isis-osiris"), t("isis-osiris.lesson.at-the-end-each-of-your-stones")],
    from: `${START} turned=- tiles=11,11 cells=....../....../....../....../....../......`,
    task: {
      say: t("isis-osiris.lesson.place-one-of-your-stones-on-any"),
      right: isStone,
      wrong: () => t("isis-osiris.lesson.turning-a-tile-is-the-other"),
      done: () => t("isis-osiris.lesson.there-it-stands"),
      show: ["Sc3"],
    },
  },
  {
    title: t("isis-osiris.lesson.turn-a-tile-over"),
    text: [t("isis-osiris.lesson.ana-has-placed-a-stone-too"), t("isis-osiris.lesson.there-are-plus-tiles-and-minus")],
    from: `${START} turned=- tiles=11,11 cells=....../...B../....../..A.../....../......`,
    goOn: [{ moves: ["Sd5", "Sb2", "Se2"] }],
    task: {
      say: t("isis-osiris.lesson.turn-over-one-of-your-tiles"),
      right: isTurn,
      wrong: () => t("isis-osiris.lesson.another-stone-would-be-allowed"),
      done: () => t("isis-osiris.lesson.a-3"),
      show: ["T"],
      outcome: "+3",
    },
  },
  {
    title: t("isis-osiris.lesson.lay-it-face-down"),
    text: [
      t("isis-osiris.lesson.a-turned-tile-must-be-placed"),
      t("isis-osiris.lesson.plus-3-is-good-news-for-whoever"),
    ],
    from: `${START} turned=+3 tiles=10,11 cells=....../...B../....../..A.../....../......`,
    goOn: [],
    task: {
      say: t("isis-osiris.lesson.lay-the-3-next-to-your-own"),
      right: (move, now) => beside(move, now).includes("A") && !beside(move, now).includes("B"),
      wrong: (move, now) =>
        beside(move, now).includes("B")
          ? t("isis-osiris.lesson.there-it-would-bring-ana-3")
          : t("isis-osiris.lesson.there-it-helps-nobody-yet"),
      done: () => t("isis-osiris.lesson.three-points-for-your-stone-if"),
      show: NEAR.map((cell) => `T${cell}`),
    },
  },
  {
    title: t("isis-osiris.lesson.a-minus-tile"),
    text: [t("isis-osiris.lesson.ana-has-placed-a-second-stone")],
    from: `${START} turned=- tiles=10,11 cells=....../...B../..+3.../..A.../B...../......`,
    goOn: [{ moves: ["Sa2", "Sf1", "Sa6"] }],
    task: {
      say: t("isis-osiris.lesson.turn-over-another-tile"),
      right: isTurn,
      wrong: () => t("isis-osiris.lesson.that-would-be-fine-too"),
      done: () => t("isis-osiris.lesson.a-4-the-worst-there-is-once"),
      show: ["T"],
      outcome: "-4",
    },
  },
  {
    title: t("isis-osiris.lesson.a-present-for-ana"),
    text: [t("isis-osiris.lesson.a-minus-tile-takes-points-from")],
    from: `${START} turned=-4 tiles=9,11 cells=....../...B../..+3.../..A.../B...../......`,
    goOn: [],
    task: {
      say: t("isis-osiris.lesson.lay-the-4-next-to-one"),
      right: (move, now) => beside(move, now).includes("B") && !beside(move, now).includes("A"),
      wrong: (move, now) =>
        beside(move, now).includes("A")
          ? t("isis-osiris.lesson.ouch-there-it-would")
          : t("isis-osiris.lesson.there-it-hurts-nobody-yet"),
      done: () => t("isis-osiris.lesson.she-will-not-thank-you"),
      show: ["Tb2", "Td6", "Te5", "Ta1", "Tc5", "Ta3"],
    },
  },
  {
    title: t("isis-osiris.lesson.remember"),
    text: [t("isis-osiris.lesson.ana-has-turned-over-a-2"), t("isis-osiris.lesson.remembering-is-part-of-the-game")],
    from: `${START} turned=- tiles=9,10 cells=.....+2/...B../..+3.../..A.../B-4..../......`,
    goOn: [{ moves: ["T"], outcome: "+2" }, { moves: ["Tf6", "Te6", "Tf5"] }],
    task: {
      say: t("isis-osiris.lesson.place-a-second-stone-beside-your-3"),
      right: (move, now) => isStone(move) && beside(move, now).includes("+3") && !beside(move, now).includes("-4"),
      wrong: (move, now) =>
        isTurn(move)
          ? t("isis-osiris.lesson.leave-the-tiles-for-now-and-place")
          : beside(move, now).includes("-4")
            ? t("isis-osiris.lesson.careful-the-4-lies-right-there")
            : t("isis-osiris.lesson.the-3-does-not-lie-beside"),
      done: () => t("isis-osiris.lesson.well-remembered"),
      show: [],
    },
  },
  {
    title: t("isis-osiris.lesson.how-a-stone-scores"),
    text: [
      t("isis-osiris.lesson.to-practise-this-table-has-its"),
      t("isis-osiris.lesson.a-stone-scores-the-sum-of-the-tiles"),
    ],
    from: "isis-osiris edition=standard seats=2 variant=own memory_aid=on starter=0 turn=0 turned=- tiles=8,8 cells=....../.B.-1A-3/.A+3.+1./.-2.+2../....B./......",
    task: {
      say: t("isis-osiris.lesson.place-a-stone-where-it-scores"),
      right: (move, now) => isStone(move) && worth(move, now) === 5,
      wrong: (move, now) =>
        isTurn(move)
          ? t("isis-osiris.lesson.leave-the-tiles-for-now-and-place")
          : t("isis-osiris.lesson.there-it-would-score", {
              points: signed(worth(move, now)),
            }),
      done: () => t("isis-osiris.lesson.3-2-1-1-5"),
      show: ["Sd4"],
    },
  },
  {
    title: t("isis-osiris.lesson.less-than-nothing"),
    text: [t("isis-osiris.lesson.scores-can-be-negative"), t("isis-osiris.lesson.the-highest-total-wins")],
    from: "isis-osiris edition=standard seats=2 variant=own memory_aid=on starter=0 turn=0 turned=- tiles=0,3 cells=+2BAB-2+2/+2-2+2+4B+2/B.BA-4-1/.-2B+2A-3/.-3B-2A./-2+1+3-2AB",
    task: {
      say: t("isis-osiris.lesson.place-your-stone-where-it-costs"),
      right: (move, now) => isStone(move) && worth(move, now) === best(now),
      wrong: (move, now) =>
        t("isis-osiris.lesson.that-would-cost-you", {
          points: -worth(move, now),
        }),
      done: () => t("isis-osiris.lesson.only-2"),
      show: ["Sa3"],
    },
  },
  {
    title: t("isis-osiris.lesson.the-last-cell"),
    text: [
      t("isis-osiris.lesson.the-end-of-a-game"),
      t("isis-osiris.lesson.everybody-keeps-one-piece-that-is-not-placed"),
    ],
    from: "isis-osiris edition=standard seats=2 variant=own memory_aid=off starter=1 turn=0 turned=- tiles=1,0 cells=+2A+3B-2B/AA-4+4AB/A.+1B-1+2/+2+3+2-3+2-2/AB-3-2B-2/+1+2-2AB-1",
    task: {
      say: t("isis-osiris.lesson.place-your-stone-and-watch-the-tiles"),
      right: isStone,
      wrong: () => t("isis-osiris.lesson.with-the-tile-you-would-give"),
      done: () => t("isis-osiris.lesson.it-brings-4-points"),
      show: ["Sb4"],
    },
  },
  {
    title: t("isis-osiris.lesson.now-you-know-the-game"),
    text: [
      t("isis-osiris.lesson.you-won-this-one-with-9"),
      t("isis-osiris.lesson.every-turn"),
      t("isis-osiris.lesson.if-you-can-remember-only-a-few"),
    ],
    from: "isis-osiris edition=standard seats=2 variant=own memory_aid=off starter=1 turn=1 turned=- tiles=1,0 cells=+2A+3B-2B/AA-4+4AB/AA+1B-1+2/+2+3+2-3+2-2/AB-3-2B-2/+1+2-2AB-1",
    goOn: [],
  },
]
