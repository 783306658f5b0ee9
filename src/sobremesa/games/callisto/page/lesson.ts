/** Callisto in nine moves. */
import games from "$schema/games.json"
import { viewOf } from "$page/games/steps"
import type { CallistoView, Position } from "$page/net/types"
import { t } from "$page/words/words.svelte"
import { LEARNER, type LessonStep } from "$page/learn/lesson.svelte"

const START = "callisto edition=classic seats=2 starter=0 turn=0 out=.."
const CENTRE = new Set(games.callisto.editions.classic.boards[2].centre)

const cells = (move: string) => move.split(",")
const isTile = (move: string) => move.includes(",")
const at = (cell: string): [number, number] => [cell.charCodeAt(0), Number(cell.slice(1))]

function distance(one: string, other: string): number {
  const [[x, y], [u, v]] = [at(one), at(other)]
  return Math.abs(x - u) + Math.abs(y - v)
}

const side = (now: Position, seat: number) => (viewOf(now.steps.at(-1)!, LEARNER) as CallistoView).sides[seat]!
const covered = (now: Position, seat: number) => side(now, seat).placed.flatMap(({ move }) => cells(move))
const own = (now: Position) => covered(now, LEARNER)
const others = (now: Position) => covered(now, 1)
const far = (move: string, now: Position) => own(now).every((cell) => distance(cell, move) >= 6)
const touches = (move: string, pieces: string[]) =>
  cells(move).some((cell) => pieces.some((piece) => distance(cell, piece) === 1))

/** Where the third pillar opens the empty west. */
const WEST = new Set(
  "a8 a9 b7 b8 b9 b10 c6 c7 c8 c9 c10 c11 d6 d7 d8 d9 d10 d11 d12 e7 e8 e9 e10 e11 e12 e13 f6 f7 f10 f11 f12 f13 g6 g11 g12 g13 h12".split(
    " ",
  ),
)

export const lesson = (): LessonStep[] => [
  {
    title: t("callisto.lesson.your-first-pillar"),
    text: [t("callisto.lesson.welcome-to-callisto"), t("callisto.lesson.you-have-three-pillars")],
    from: `${START} placed=-/-`,
    task: {
      say: t("callisto.lesson.place-a-pillar-somewhere-outside-the-centre"),
      right: () => true,
      wrong: () => "",
      done: () => t("callisto.lesson.well-placed"),
      show: ["e5"],
    },
  },
  {
    title: t("callisto.lesson.your-second-pillar"),
    text: [t("callisto.lesson.ana-has-placed-one-too"), t("callisto.lesson.two-pillars-that-stand-well-apart")],
    from: `${START} placed=e5/l12`,
    goOn: [{ moves: ["l12", "l11", "e12", "d8"] }],
    task: {
      say: t("callisto.lesson.place-your-second-pillar-at-least"),
      right: far,
      wrong: () => t("callisto.lesson.you-may-do-that-but-both"),
      done: () => t("callisto.lesson.now-you-have-two-places-to-grow"),
      show: ["l5", "e12", "d9", "m8", "h3", "h14"],
    },
  },
  {
    title: t("callisto.lesson.your-first-tile"),
    text: [t("callisto.lesson.from-now-on-you-place-one"), t("callisto.lesson.touching-at-a-corner-is-not-enough")],
    from: `${START} placed=e5;l5/e12;l12`,
    goOn: [{ moves: ["e12", "l12", "d9", "m9"] }],
    task: {
      say: t("callisto.lesson.take-any-tile-from-your-tray"),
      right: isTile,
      wrong: () => t("callisto.lesson.that-would-be-your-third-pillar"),
      done: () => t("callisto.lesson.it-touches-your-pillar-by-a-side"),
      show: ["e6,f6,g6,f7"],
    },
  },
  {
    title: t("callisto.lesson.turn-it-flip-it"),
    text: [
      matchMedia("(pointer: coarse)").matches
        ? t("callisto.lesson.tiles-may-be-turned-and-flipped")
        : t("callisto.lesson.tiles-may-be-turned-and-flipped-as"),
      t("callisto.lesson.the-staircase-has-five-squares-and-it-fits"),
    ],
    from: `${START} placed=e5;l5;e6,f6,g6,f7/k10,j11,k11,l11;e12;l12`,
    task: {
      say: t("callisto.lesson.lay-the-staircase-on-the-marked"),
      right: (move) => move === "k6,l6,j7,k7,j8",
      wrong: () => t("callisto.lesson.that-fits-too"),
      done: () => t("callisto.lesson.exactly-it-also-covers"),
      show: ["k6,l6,j7,k7,j8"],
      marked: true,
    },
  },
  {
    title: t("callisto.lesson.big-tiles-first"),
    text: [t("callisto.lesson.at-the-end-every-square-on-a-tile"), t("callisto.lesson.a-domino-still-finds-a-gap")],
    from: `${START} placed=e5;l5;e6,f6,g6,f7;k6,l6,j7,k7,j8/d10,e10,d11,e11;k10,j11,k11,l11;e12;l12`,
    task: {
      say: t("callisto.lesson.place-a-tile-of-five-squares"),
      right: (move) => cells(move).length === 5 && cells(move).some((cell) => CENTRE.has(cell)),
      wrong: (move) =>
        cells(move).length === 5
          ? t("callisto.lesson.a-big-one-good")
          : t("callisto.lesson.that-one-will-find-a-place"),
      done: (after) =>
        t("callisto.lesson.five-squares-less-to-worry-about", {
          count: side(after, LEARNER).penalty,
        }),
      show: ["h7,g8,h8,i8,h9"],
    },
  },
  {
    title: t("callisto.lesson.get-in-the-way"),
    text: [t("callisto.lesson.your-tiles-may-touch-ana-as"), t("callisto.lesson.her-two-groups-would-like-to-meet")],
    from: `${START} placed=e5;l5;e6,f6,g6,f7;k6,l6,j7,k7,j8;h7,g8,h8,i8,h9/i9,i10,j10;d10,e10,d11,e11;k10,j11,k11,l11;e12;l12`,
    task: {
      say: t("callisto.lesson.lay-a-tile-that-touches-one"),
      right: (move, now) => isTile(move) && touches(move, others(now)),
      wrong: (move) =>
        isTile(move) ? t("callisto.lesson.that-does-not-bother-ana-yet") : t("callisto.lesson.a-good-idea-for-later"),
      done: () => t("callisto.lesson.that-is-how-room-gets-scarce"),
      show: ["h10,g10,h11,g11", "g10,h10,g11,h11"],
    },
  },
  {
    title: t("callisto.lesson.the-third-pillar"),
    text: [t("callisto.lesson.the-game-has-gone-on-you"), t("callisto.lesson.your-third-pillar-takes-a-whole")],
    from: `${START} placed=h1,i1,i2,j2;k3;i3,j3,i4;j4,j5,k5,k6,l6;l5,m5,m6,l7,m7;j6,j7,j8;m8;k7,k8,j9,k9,l9;o7,n8,o8,p8,o9/g3,h3,h4,g5,h5;i5;e4,e5,f5,e6;i6,i7,i8;i9,i10,j10,k10,i11;m9,l10,m10,n10,m11;m12;i12,j12,i13,j13;h13,h14,i14,i15,j15`,
    task: {
      say: t("callisto.lesson.place-your-third-pillar-where-there"),
      right: (move) => WEST.has(move),
      wrong: (move) =>
        isTile(move)
          ? t("callisto.lesson.that-fits-but-ana-would-take")
          : t("callisto.lesson.there-is-not-much-room-around"),
      done: () => t("callisto.lesson.the-whole-west-is-open-to-you"),
      show: ["e9"],
    },
  },
  {
    title: t("callisto.lesson.no-passing"),
    text: [t("callisto.lesson.a-game-near-its-end"), t("callisto.lesson.if-you-can-place-something-you")],
    from: "callisto edition=classic seats=2 starter=1 turn=0 out=.. placed=c6,b7,c7;g6,h6,f7,g7;h7,h8,i8,j8;a8,a9;c8,d8,b9,c9;d9;g8,e9,f9,g9,g10;h9,i9,j9,i10;c10,c11;f10,e11,f11;d10,e10,d11,d12,e12;g12;h10,g11,h11,i11,h12;j10,j11,j12;f12,f13,g13,g14,h14;h13,i13,j13,i14;g15,h15,i15,i16/h2,i2,i3,j3;f4;d5,e5,f5;g3,h3,g4,g5,h5;j4,k4,i5,j5,i6;l4,k5,l5,m5,l6;i7,j7;m6,m7;b8;d6,e6,f6,e7,e8;k6,k7,l7,l8;n7,o7,o8;n8,m9,n9,o9;l9,k10,l10,l11;m10,n10,o10,m11;m12;k11,k12,k13,l13;j14,k14,j15",
    task: {
      say: t("callisto.lesson.place-your-third-pillar-on-any"),
      right: () => true,
      wrong: () => "",
      done: () => t("callisto.lesson.now-both-of-you-are-out"),
      show: ["i12"],
    },
  },
  {
    title: t("page.the-end"),
    text: [
      t("callisto.lesson.you-have-two-tiles-of-four"),
      t("callisto.lesson.equal-then-whoever-started"),
      t("callisto.lesson.that-is-all-there-is-to-know"),
    ],
    from: "callisto edition=classic seats=2 starter=1 turn=- out=xx placed=c6,b7,c7;g6,h6,f7,g7;h7,h8,i8,j8;a8,a9;c8,d8,b9,c9;d9;g8,e9,f9,g9,g10;h9,i9,j9,i10;c10,c11;f10,e11,f11;d10,e10,d11,d12,e12;g12;h10,g11,h11,i11,h12;i12;j10,j11,j12;f12,f13,g13,g14,h14;h13,i13,j13,i14;g15,h15,i15,i16/h2,i2,i3,j3;f4;d5,e5,f5;g3,h3,g4,g5,h5;j4,k4,i5,j5,i6;l4,k5,l5,m5,l6;i7,j7;m6,m7;b8;d6,e6,f6,e7,e8;k6,k7,l7,l8;n7,o7,o8;n8,m9,n9,o9;l9,k10,l10,l11;m10,n10,o10,m11;m12;k11,k12,k13,l13;j14,k14,j15",
    goOn: [],
  },
]
