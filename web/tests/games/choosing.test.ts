/** From taps on a picture to a move. */
import { expect, it } from "vitest"
import { matching, meant, partsOf, tapped } from "$page/games/usual/choosing"

const WALKS = ["a1-a2", "a1-b1", "b1-b2-b3", "b1-b2", "c1", "c1-c2"]

it.each([
  ["e9,e10,f10", ["e9", "e10", "f10"]],
  ["a1-b2 x", ["a1", "b2", "x"]],
  ["+3", ["+3"]],
  ["(d4)", ["d4"]],
  ["", []],
])("the parts of “%s” are what cells can name", (move, parts) => expect(partsOf(move)).toEqual(parts))

it("cells leave the moves that have them in the order in which they were chosen", () => {
  expect(matching(WALKS, [])).toEqual(WALKS)
  expect(matching(WALKS, ["b1"])).toEqual(["a1-b1", "b1-b2-b3", "b1-b2"])
  expect(matching(WALKS, ["b1", "b3"])).toEqual(["b1-b2-b3"])
  expect(matching(WALKS, ["b3", "b1"])).toEqual([])
})

it("a tap goes on, begins anew, or takes the last one back", () => {
  expect(tapped(WALKS, [], "a1")).toEqual(["a1"])
  expect(tapped(WALKS, ["a1"], "b1")).toEqual(["a1", "b1"])
  expect(tapped(WALKS, ["a1", "b1"], "b1")).toEqual(["a1"])
  expect(tapped(WALKS, ["a1", "b1"], "c1")).toEqual(["c1"])
  expect(tapped(WALKS, ["a1"], "h8")).toEqual([])
})

it("a move is meant once the cells leave no other, or are all of it", () => {
  expect(meant(WALKS, [])).toBeNull()
  expect(meant(WALKS, ["a1"])).toBeNull()
  expect(meant(WALKS, ["a1", "a2"])).toBe("a1-a2")
  // It is whole, and another one goes further.
  expect(meant(WALKS, ["b1", "b2"])).toBe("b1-b2")
  expect(meant(WALKS, ["c1"])).toBe("c1")
  expect(meant(WALKS, ["b3"])).toBe("b1-b2-b3")
  // The same cells in two orders: which one is meant nobody can know.
  expect(meant(["a-b/1", "a-b/2"], ["a", "b"])).toBeNull()
})
