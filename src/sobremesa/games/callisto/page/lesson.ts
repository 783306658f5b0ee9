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
    title: t("Your first pillar"),
    text: [
      t("Welcome to Callisto. You and Ana build outwards from your own pillars, and the room runs out."),
      t("You have three pillars. A pillar may stand on any free cell, but not in the darker centre."),
    ],
    from: `${START} placed=-/-`,
    task: {
      say: t("Place a pillar somewhere outside the centre."),
      right: () => true,
      wrong: () => "",
      done: () => t("Well placed. A pillar needs no neighbour; it is where your tiles will start from."),
      show: ["e5"],
    },
  },
  {
    title: t("Your second pillar"),
    text: [
      t("Ana has placed one, too. On your first and second turn you place a pillar."),
      t("Two pillars that stand well apart are hard to wall in."),
    ],
    from: `${START} placed=e5/l12`,
    goOn: [{ moves: ["l12", "l11", "e12", "d8"] }],
    task: {
      say: t("Place your second pillar, at least six cells away from the first."),
      right: far,
      wrong: () => t("You may do that, but both would be walled in together. Try a cell further away."),
      done: () => t("Now you have two places to grow from."),
      show: ["l5", "e12", "d9", "m8", "h3", "h14"],
    },
  },
  {
    title: t("Your first tile"),
    text: [
      t("From now on you place one tile per turn. It must touch a pillar or a tile of your colour, side by side."),
      t("Touching at a corner is not enough. Try it, if you like: the board tells you why not."),
    ],
    from: `${START} placed=e5;l5/e12;l12`,
    goOn: [{ moves: ["e12", "l12", "d9", "m9"] }],
    task: {
      say: t("Take any tile from your tray and place it beside one of your pillars."),
      right: isTile,
      wrong: () => t("That would be your third pillar. Keep it for later, and choose a tile."),
      done: () => t("It touches your pillar by a side, so it counts as yours, and the next tile may touch it."),
      show: ["e6,f6,g6,f7"],
    },
  },
  {
    title: t("Turn it, flip it"),
    text: [
      matchMedia("(pointer: coarse)").matches
        ? t("Tiles may be turned and flipped as you like, with the two buttons at the left below the board.")
        : t("Tiles may be turned and flipped as you like: with the buttons, or with the keys R and F."),
      t("The staircase has five squares, and it fits on the marked cells when it is held the right way."),
    ],
    from: `${START} placed=e5;l5;e6,f6,g6,f7/k10,j11,k11,l11;e12;l12`,
    task: {
      say: t("Lay the staircase on the marked cells."),
      right: (move) => move === "k6,l6,j7,k7,j8",
      wrong: () => t("That fits, too. But here, find the way to hold the staircase so that it lies on the marks."),
      done: () => t("Exactly. It also covers two cells of the centre: only pillars have to keep out of there."),
      show: ["k6,l6,j7,k7,j8"],
      marked: true,
    },
  },
  {
    title: t("Big tiles first"),
    text: [
      t("At the end, every square on a tile that you could not place is a penalty point. The lowest penalty wins."),
      t("A domino still finds a gap later. A plus does not: bring the tiles of five squares out early."),
    ],
    from: `${START} placed=e5;l5;e6,f6,g6,f7;k6,l6,j7,k7,j8/d10,e10,d11,e11;k10,j11,k11,l11;e12;l12`,
    task: {
      say: t("Place a tile of five squares that covers at least one cell of the centre."),
      right: (move) => cells(move).length === 5 && cells(move).some((cell) => CENTRE.has(cell)),
      wrong: (move) =>
        cells(move).length === 5
          ? t("A big one, good. Now let it reach into the darker centre, where everybody wants to go.")
          : t("That one will find a place later. Take a tile of five squares."),
      done: (after) =>
        t("Five squares less to worry about. Your penalty would be {count} now.", {
          count: side(after, LEARNER).penalty,
        }),
      show: ["h7,g8,h8,i8,h9"],
    },
  },
  {
    title: t("Get in the way"),
    text: [
      t("Your tiles may touch Ana’s as much as you like. What you cover, she cannot use."),
      t("Her two groups would like to meet in the north. Go and stand in between."),
    ],
    from: `${START} placed=e5;l5;e6,f6,g6,f7;k6,l6,j7,k7,j8;h7,g8,h8,i8,h9/i9,i10,j10;d10,e10,d11,e11;k10,j11,k11,l11;e12;l12`,
    task: {
      say: t("Lay a tile that touches one of Ana’s pieces."),
      right: (move, now) => isTile(move) && touches(move, others(now)),
      wrong: (move) =>
        isTile(move)
          ? t("That does not bother Ana yet. Lay a tile right against one of hers.")
          : t("A good idea for later. For now, use a tile."),
      done: () => t("That is how room gets scarce. Ana will do the same to you."),
      show: ["h10,g10,h11,g11", "g10,h10,g11,h11"],
    },
  },
  {
    title: t("The third pillar"),
    text: [
      t("The game has gone on. You are boxed in: in the east, hardly any of your tiles fit."),
      t(
        "Your third pillar takes a whole turn, but it stands on any free cell outside the centre, and opens new ground.",
      ),
    ],
    from: `${START} placed=h1,i1,i2,j2;k3;i3,j3,i4;j4,j5,k5,k6,l6;l5,m5,m6,l7,m7;j6,j7,j8;m8;k7,k8,j9,k9,l9;o7,n8,o8,p8,o9/g3,h3,h4,g5,h5;i5;e4,e5,f5,e6;i6,i7,i8;i9,i10,j10,k10,i11;m9,l10,m10,n10,m11;m12;i12,j12,i13,j13;h13,h14,i14,i15,j15`,
    task: {
      say: t("Place your third pillar where there is room to grow."),
      right: (move) => WEST.has(move),
      wrong: (move) =>
        isTile(move)
          ? t("That fits, but Ana would take the open ground in the west. Bring your third pillar there.")
          : t("There is not much room around that cell. Look to the west."),
      done: () => t("The whole west is open to you now. Do not save the third pillar until the board is full."),
      show: ["e9"],
    },
  },
  {
    title: t("No passing"),
    text: [
      t("A game near its end. You have three tiles left, but none of them fits anywhere. Ana cannot go on either."),
      t(
        "If you can place something, you must, even if it is only your third pillar. Whoever can place nothing is out.",
      ),
    ],
    from: "callisto edition=classic seats=2 starter=1 turn=0 out=.. placed=c6,b7,c7;g6,h6,f7,g7;h7,h8,i8,j8;a8,a9;c8,d8,b9,c9;d9;g8,e9,f9,g9,g10;h9,i9,j9,i10;c10,c11;f10,e11,f11;d10,e10,d11,d12,e12;g12;h10,g11,h11,i11,h12;j10,j11,j12;f12,f13,g13,g14,h14;h13,i13,j13,i14;g15,h15,i15,i16/h2,i2,i3,j3;f4;d5,e5,f5;g3,h3,g4,g5,h5;j4,k4,i5,j5,i6;l4,k5,l5,m5,l6;i7,j7;m6,m7;b8;d6,e6,f6,e7,e8;k6,k7,l7,l8;n7,o7,o8;n8,m9,n9,o9;l9,k10,l10,l11;m10,n10,o10,m11;m12;k11,k12,k13,l13;j14,k14,j15",
    task: {
      say: t("Place your third pillar on any free cell."),
      right: () => true,
      wrong: () => "",
      done: () => t("Now both of you are out, and the game is over."),
      show: ["i12"],
    },
  },
  {
    title: t("The end"),
    text: [
      t(
        "You have two tiles of four squares and one of three left: a penalty of 4 + 4 + 3 = 11. Ana has just the same.",
      ),
      t("Equal? Then whoever started later in this game ranks higher. Ana started, so you win!"),
      t("That is all there is to know. Two tips: keep your pillars apart, and place the big tiles first."),
    ],
    from: "callisto edition=classic seats=2 starter=1 turn=- out=xx placed=c6,b7,c7;g6,h6,f7,g7;h7,h8,i8,j8;a8,a9;c8,d8,b9,c9;d9;g8,e9,f9,g9,g10;h9,i9,j9,i10;c10,c11;f10,e11,f11;d10,e10,d11,d12,e12;g12;h10,g11,h11,i11,h12;i12;j10,j11,j12;f12,f13,g13,g14,h14;h13,i13,j13,i14;g15,h15,i15,i16/h2,i2,i3,j3;f4;d5,e5,f5;g3,h3,g4,g5,h5;j4,k4,i5,j5,i6;l4,k5,l5,m5,l6;i7,j7;m6,m7;b8;d6,e6,f6,e7,e8;k6,k7,l7,l8;n7,o7,o8;n8,m9,n9,o9;l9,k10,l10,l11;m10,n10,o10,m11;m12;k11,k12,k13,l13;j14,k14,j15",
    goOn: [],
  },
]
