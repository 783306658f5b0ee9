/** A lesson for each game, loaded when somebody wants to learn it. */
import type { GameId } from "../games/contract"
import type { LessonStep } from "./lesson.svelte"

export const LESSONS: Record<GameId, () => Promise<() => LessonStep[]>> = {
  callisto: () => import("./callisto").then((module) => module.callisto),
  "isis-osiris": () => import("./isis_osiris").then((module) => module.isisOsiris),
  knister: () => import("./knister").then((module) => module.knister),
}
