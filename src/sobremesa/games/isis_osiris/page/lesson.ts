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
    title: t("Stones like good neighbours"),
    text: [
      t("Welcome to Isis & Osiris. You and Ana fill a board of 6 × 6 cells with stones and with number tiles."),
      t(
        "At the end, each of your stones is worth as much as the tiles beside it. On your turn you place a stone, or a tile.",
      ),
    ],
    from: `${START} turned=- tiles=11,11 cells=....../....../....../....../....../......`,
    task: {
      say: t("Place one of your stones on any free cell."),
      right: isStone,
      wrong: () => t("Turning a tile is the other thing you can do. That comes next: first, place a stone."),
      done: () => t("There it stands. What it is worth depends on its neighbours."),
      show: ["Sc3"],
    },
  },
  {
    title: t("Turn a tile over"),
    text: [
      t(
        "Ana has placed a stone, too. Your tiles lie face down: nobody knows them before they are turned over, not even you.",
      ),
      t("There are plus tiles and minus tiles, from 1 to 4."),
    ],
    from: `${START} turned=- tiles=11,11 cells=....../...B../....../..A.../....../......`,
    goOn: [{ moves: ["Sd5", "Sb2", "Se2"] }],
    task: {
      say: t("Turn over one of your tiles."),
      right: isTurn,
      wrong: () => t("Another stone would be allowed. Try a tile this time."),
      done: () => t("A +3! Everybody can see it, but only for a moment."),
      show: ["T"],
      outcome: "+3",
    },
  },
  {
    title: t("Lay it face down"),
    text: [
      t(
        "A turned tile must be placed, face down, on a free cell. It counts for every stone that it touches by a side.",
      ),
      t("Plus 3 is good news for whoever stands beside it. Remember where you put it!"),
    ],
    from: `${START} turned=+3 tiles=10,11 cells=....../...B../....../..A.../....../......`,
    goOn: [],
    task: {
      say: t("Lay the +3 next to your own stone, and not next to Ana’s."),
      right: (move, now) => beside(move, now).includes("A") && !beside(move, now).includes("B"),
      wrong: (move, now) =>
        beside(move, now).includes("B")
          ? t("There it would bring Ana 3 points as well. Keep it for yourself.")
          : t("There it helps nobody yet. Lay it right beside your stone."),
      done: () => t("Three points for your stone, if nothing bad comes beside it. Now only an eye can be seen."),
      show: NEAR.map((cell) => `T${cell}`),
    },
  },
  {
    title: t("A minus tile"),
    text: [t("Ana has placed a second stone. Not all tiles are friendly; half of them are minus tiles.")],
    from: `${START} turned=- tiles=10,11 cells=....../...B../..+3.../..A.../B...../......`,
    goOn: [{ moves: ["Sa2", "Sf1", "Sa6"] }],
    task: {
      say: t("Turn over another tile."),
      right: isTurn,
      wrong: () => t("That would be fine, too. But let us see what your next tile is."),
      done: () => t("A −4, the worst there is. Once it is turned you cannot change your mind: it must be placed."),
      show: ["T"],
      outcome: "-4",
    },
  },
  {
    title: t("A present for Ana"),
    text: [t("A minus tile takes points from every stone beside it. It need not be yours.")],
    from: `${START} turned=-4 tiles=9,11 cells=....../...B../..+3.../..A.../B...../......`,
    goOn: [],
    task: {
      say: t("Lay the −4 next to one of Ana’s stones, and not next to yours."),
      right: (move, now) => beside(move, now).includes("B") && !beside(move, now).includes("A"),
      wrong: (move, now) =>
        beside(move, now).includes("A")
          ? t("Ouch: there it would cost you 4 points. Put it beside one of Ana’s stones.")
          : t("There it hurts nobody yet. Put it beside one of Ana’s stones."),
      done: () => t("She will not thank you. Remember this one as well: −4."),
      show: ["Tb2", "Td6", "Te5", "Ta1", "Tc5", "Ta3"],
    },
  },
  {
    title: t("Remember"),
    text: [
      t(
        "Ana has turned over a +2 and laid it down as well; now there are three eyes on the board, and they all look the same.",
      ),
      t("Remembering is part of the game. One of them is the +3 that you laid. Which one?"),
    ],
    from: `${START} turned=- tiles=9,10 cells=.....+2/...B../..+3.../..A.../B-4..../......`,
    goOn: [{ moves: ["T"], outcome: "+2" }, { moves: ["Tf6", "Te6", "Tf5"] }],
    task: {
      say: t("Place a second stone beside your +3."),
      right: (move, now) => isStone(move) && beside(move, now).includes("+3") && !beside(move, now).includes("-4"),
      wrong: (move, now) =>
        isTurn(move)
          ? t("Leave the tiles for now, and place a stone.")
          : beside(move, now).includes("-4")
            ? t("Careful, the −4 lies right there. Your +3 is somewhere else.")
            : t("The +3 does not lie beside that cell. You laid it next to your first stone."),
      done: () => t("Well remembered. The same tile now counts for both of your stones."),
      show: [],
    },
  },
  {
    title: t("How a stone scores"),
    text: [
      t("To practise, this table has its tiles open; a real table can do that, too, with the memory aid."),
      t(
        "A stone scores the sum of the tiles above, below, left and right of it. Corners do not count, nor do other stones.",
      ),
    ],
    from: "isis-osiris edition=standard seats=2 variant=own memory_aid=on starter=0 turn=0 turned=- tiles=8,8 cells=....../.B.-1A-3/.A+3.+1./.-2.+2../....B./......",
    task: {
      say: t("Place a stone where it scores 5 points."),
      right: (move, now) => isStone(move) && worth(move, now) === 5,
      wrong: (move, now) =>
        isTurn(move)
          ? t("Leave the tiles for now, and place a stone.")
          : t("There it would score {points}. Somewhere it is 5.", {
              points: signed(worth(move, now)),
            }),
      done: () => t("+3 +2 +1 −1 = 5. No cell on this board is better."),
      show: ["Sd4"],
    },
  },
  {
    title: t("Less than nothing"),
    text: [
      t(
        "Scores can be negative. Here you have no tiles left, so you must place a stone, and no free cell is a good one.",
      ),
      t("The highest total wins. If all are below zero, that is the one closest to it."),
    ],
    from: "isis-osiris edition=standard seats=2 variant=own memory_aid=on starter=0 turn=0 turned=- tiles=0,3 cells=+2BAB-2+2/+2-2+2+4B+2/B.BA-4-1/.-2B+2A-3/.-3B-2A./-2+1+3-2AB",
    task: {
      say: t("Place your stone where it costs you least."),
      right: (move, now) => isStone(move) && worth(move, now) === best(now),
      wrong: (move, now) =>
        t("That would cost you {points}. There is a cheaper cell.", {
          points: -worth(move, now),
        }),
      done: () => t("Only −2. In the real game you would have to remember what lies there."),
      show: ["Sa3"],
    },
  },
  {
    title: t("The last cell"),
    text: [
      t("The end of a game: one cell is free, and it is your turn. You remember good tiles around it."),
      t("Everybody keeps one piece that is not placed, a stone or a tile; it is worth nothing."),
    ],
    from: "isis-osiris edition=standard seats=2 variant=own memory_aid=off starter=1 turn=0 turned=- tiles=1,0 cells=+2A+3B-2B/AA-4+4AB/A.+1B-1+2/+2+3+2-3+2-2/AB-3-2B-2/+1+2-2AB-1",
    task: {
      say: t("Place your stone, and watch the tiles being turned over."),
      right: isStone,
      wrong: () => t("With the tile you would give that place away. Use your stone."),
      done: () => t("It brings 4 points. Now all the tiles are turned over, and the stones are counted one by one."),
      show: ["Sb4"],
    },
  },
  {
    title: t("Now you know the game"),
    text: [
      t("You won this one with +9 to +5."),
      t(
        "Every turn: a stone, or a tile that all may see and that is then laid face down. In the end the tiles are shown and the stones are counted.",
      ),
      t(
        "If you can remember only a few tiles, remember the fours and the threes. And keep a stone or two for late in the game.",
      ),
    ],
    from: "isis-osiris edition=standard seats=2 variant=own memory_aid=off starter=1 turn=1 turned=- tiles=1,0 cells=+2A+3B-2B/AA-4+4AB/AA+1B-1+2/+2+3+2-3+2-2/AB-3-2B-2/+1+2-2AB-1",
    goOn: [],
  },
]
