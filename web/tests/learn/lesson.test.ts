/** A lesson: what the learner and the others do becomes steps at the table. */
import { beforeEach, expect, it, vi } from "vitest"
import { lastMoves } from "$page/games/steps"
import { Lesson, type LessonStep } from "$page/learn/lesson.svelte"
import { Refusal, api } from "$page/net/api"
import type { AskPosition, Position } from "$page/net/types"
import { isisView, step } from "../rooms"

const PARTS: LessonStep[] = [
  {
    title: "One",
    text: [],
    from: "start",
    task: {
      say: "",
      right: (move) => move === "Sc3",
      wrong: () => "Not that one.",
      done: () => "Well done.",
      show: ["Sc3"],
    },
  },
  {
    title: "Two",
    text: [],
    from: "elsewhere",
    goOn: [{ moves: ["Sf9", "Sd5"] }],
    task: { say: "", right: () => true, wrong: () => "", done: () => "", show: ["T"], outcome: "+3" },
  },
  { title: "Three", text: [], from: "end" },
]

/** A server that writes positions down as the moves that led there. */
const asked = vi.fn(async ({ position, seat, move, outcome }: AskPosition): Promise<Position> => {
  const after = move ? `${position} ${move}` : position!
  const views = [isisView({}, { seat: seat ?? null })]
  const steps = move ? [step(0, { seat: seat!, move, views })] : [step(0, { views })]
  if (outcome) steps.push(step(0, { rolled: outcome, views }))
  // Moves alternate.
  const turn = after.split(" ").length % 2 ? 0 : 1
  return { position: after, steps, legal: { [turn]: ["Sc3", "Sd5", "T"] }, over: false, result: null }
})

let lesson: Lesson
beforeEach(async () => {
  asked.mockClear()
  vi.spyOn(api, "position").mockImplementation(asked)
  lesson = new Lesson("isis-osiris", () => PARTS)
  await lesson.go(0)
})

it("begins at its position, with the learner to move", () => {
  expect(lesson.now?.position).toBe("start")
  expect(lesson.steps).toHaveLength(1)
  expect(lesson.legal).toEqual(["Sc3", "Sd5", "T"])
  expect(lesson.example).toBe("Sc3")
})

it("a move of the learner is a step that follows", async () => {
  await lesson.play("Sc3")
  expect(lesson.steps.map(({ version, move }) => [version, move])).toEqual([
    [0, null],
    [1, "Sc3"],
  ])
  expect([lesson.done, lesson.answer, lesson.legal]).toEqual([true, "Well done.", []])
})

it("a move that it is not about is explained, and has not happened", async () => {
  await expect(lesson.play("Sd5")).rejects.toThrow(new Refusal("lesson", "Not that one."))
  expect([lesson.done, lesson.steps.length, lesson.now?.position]).toEqual([false, 1, "start"])
})

it("goes on from the learner's own move, after the first reply that is possible, which is marked", async () => {
  await lesson.play("Sc3")
  await lesson.go(1)
  expect(lesson.now?.position).toBe("start Sc3 Sd5")
  expect(lastMoves(lesson.steps)).toEqual([{ seat: 1, move: "Sd5" }])
  expect(lesson.steps[0]!.views[0]!.seat).toBe(0)
})

it("starts from its own position when the part before was skipped", async () => {
  await lesson.go(1)
  expect(lesson.now?.position).toBe("elsewhere")
  expect(lastMoves(lesson.steps)).toEqual([])
})

it("what chance brings after a move is a step of its own", async () => {
  await lesson.go(1)
  await lesson.play("T")
  expect(lesson.steps.map(({ version, move, rolled }) => [version, move, rolled])).toEqual([
    [0, null, null],
    [1, "T", null],
    [2, null, "+3"],
  ])
})

it("a part without a task is done, and has nothing to play", async () => {
  await lesson.go(2)
  expect([lesson.done, lesson.legal, lesson.example]).toEqual([true, [], null])
})

it("says when the server does not answer, and stays where it is", async () => {
  asked.mockRejectedValueOnce(new Error("away"))
  await lesson.go(2)
  expect([lesson.lost, lesson.at]).toEqual([true, 0])
  await lesson.go(2)
  expect([lesson.lost, lesson.at]).toEqual([false, 2])
})
