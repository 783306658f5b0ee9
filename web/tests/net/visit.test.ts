/** The conversation with a room, over a fake socket and on a fake clock. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { Refusal, api } from "$page/net/api"
import * as promises from "$page/net/promises"
import * as seen from "$page/net/seen"
import type { ServerMessage, TalkLine } from "$page/net/types"
import { Visit } from "$page/net/visit.svelte"
import { roomState, snapshot, step, updateOf } from "../rooms"

class FakeSocket {
  static readonly CONNECTING = 0
  static readonly OPEN = 1
  static readonly CLOSED = 3
  static all: FakeSocket[] = []
  static get last(): FakeSocket {
    return FakeSocket.all.at(-1)!
  }

  readyState = FakeSocket.CONNECTING
  sent: { type: string; id?: string; [field: string]: unknown }[] = []
  onopen: () => void = () => {}
  onmessage: (event: { data: string }) => void = () => {}
  onclose: () => void = () => {}

  constructor(readonly address: URL) {
    FakeSocket.all.push(this)
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text))
  }
  close(): void {
    if (this.readyState === FakeSocket.CLOSED) return
    this.readyState = FakeSocket.CLOSED
    this.onclose()
  }
  open(): this {
    this.readyState = FakeSocket.OPEN
    this.onopen()
    return this
  }
  say(message: ServerMessage): this {
    this.onmessage({ data: JSON.stringify(message) })
    return this
  }
  types(): string[] {
    return this.sent.map(({ type }) => type)
  }
}

const passing = (ms: number) => vi.advanceTimersByTimeAsync(ms)
let visit: Visit

async function arrive(): Promise<FakeSocket> {
  visit = new Visit("r1")
  await passing(0)
  return FakeSocket.last
}
/** A visit that shows the room at version 5. */
async function settled(): Promise<FakeSocket> {
  return (await arrive()).open().say(snapshot(5))
}

beforeEach(() => {
  vi.useFakeTimers()
  FakeSocket.all = []
  vi.stubGlobal("WebSocket", FakeSocket)
  localStorage.clear()
  vi.spyOn(api, "me").mockResolvedValue({} as never)
  vi.spyOn(seen, "keepSeen").mockResolvedValue()
  vi.spyOn(seen, "lastSeen").mockResolvedValue(null)
})
afterEach(() => {
  visit.close()
  vi.useRealTimers()
})

describe("joining", () => {
  it("asks for a snapshot, and shows it", async () => {
    const socket = await arrive()
    expect(socket.address.href).toMatch(/^ws:.*\/api\/rooms\/r1\/socket$/)
    expect([visit.connected, visit.update]).toEqual([false, null])
    socket.open().say(snapshot(5))
    expect(socket.sent).toEqual([{ type: "join", language: "en" }])
    expect(visit.connected).toBe(true)
    expect(visit.seats).toEqual([0])
    expect(visit.steps.map(({ version }) => version)).toEqual([5])
  })

  it("knows how far the server's clock is ahead", async () => {
    vi.setSystemTime(990_000)
    await settled()
    expect(visit.ahead).toBe(10)
  })

  it("joins again to hear another language, once", async () => {
    const socket = await settled()
    visit.speak("en")
    visit.speak("es")
    expect(socket.sent.slice(1)).toEqual([{ type: "join", language: "es" }])
  })

  it("joins again when the table is seen from another seat and no step has shown it", async () => {
    const socket = await settled()
    const room = roomState()
    room.seats[1]!.yours = true
    socket.say(updateOf(6, { room }))
    expect(socket.types()).toEqual(["join", "join"])
    socket.say(updateOf(7, { room }))
    expect(socket.types()).toEqual(["join", "join"])
  })
})

describe("steps", () => {
  const versions = () => visit.steps.map(({ version }) => version)

  it("are gathered for the running game", async () => {
    const socket = await settled()
    socket.say(updateOf(7, { steps: [step(6, { seat: 0, move: "T" }), step(7, { rolled: "+3" })] }))
    socket.say(updateOf(8))
    expect(versions()).toEqual([5, 6, 7])
  })

  it("are dropped when a new game begins", async () => {
    const socket = await settled()
    const room = roomState({ number: 2 })
    socket.say(updateOf(9, { room, steps: [step(6, { seat: 0, move: "Sc3" }), step(8), step(9, { rolled: "+1" })] }))
    expect(versions()).toEqual([8, 9])
  })

  it("start anew with a snapshot that has others", async () => {
    const socket = await settled()
    socket.say(updateOf(6, { steps: [step(6, { seat: 0, move: "Sc3" })] }))
    socket.say(snapshot(12, { steps: [step(12, { seat: 1, move: "Sd3" })] }))
    expect(versions()).toEqual([12])
  })

  it("go on after a snapshot with the step that is known", async () => {
    const socket = await settled()
    socket.say(updateOf(6, { steps: [step(6, { seat: 0, move: "Sc3" })] }))
    const again = step(6, { seat: 0, move: "Sc3" })
    socket.say(snapshot(7, { steps: [again] }))
    expect(versions()).toEqual([5, 6])
    expect(visit.steps.at(-1)).toEqual(again)
  })

  it("of a crowd that comes further are replaced by the newest", async () => {
    const socket = await settled()
    socket.say(updateOf(6, { steps: [step(6, { seat: 0, move: "a1" })] }))
    for (const version of [7, 8, 9]) socket.say(updateOf(version, { steps: [step(version)] }))
    expect(versions()).toEqual([5, 6, 9])
    socket.say(updateOf(10, { steps: [step(10, { rolled: "7" })] }))
    expect(versions()).toEqual([5, 6, 10])
  })

  it("are none before the first game", async () => {
    const socket = await arrive()
    socket.open().say(snapshot(1, { room: roomState({ number: 0, playing: false }), steps: [] }))
    expect(versions()).toEqual([])
  })
})

describe("talk", () => {
  const line = (version: number): TalkLine => ({
    version,
    at: 1,
    kind: "said",
    seat: 0,
    name: "Ana",
    text: `${version}`,
  })

  it("keeps the last hundred lines", async () => {
    const socket = await settled()
    for (let version = 6; version < 126; version++) socket.say(updateOf(version, { talk: [line(version)] }))
    expect(visit.talk).toHaveLength(100)
    expect(visit.talk[0]!.version).toBe(26)
  })

  it("is replaced by a snapshot's", async () => {
    const socket = await settled()
    socket.say(updateOf(6, { talk: [line(6)] }))
    socket.say(snapshot(9, { talk: [line(8), line(9)] }))
    expect(visit.talk.map(({ version }) => version)).toEqual([8, 9])
  })
})

describe("commands and questions", () => {
  const move = { type: "move", seat: 0, version: 5, move: "Sc3" } as const

  it("resolve with their own answer", async () => {
    const socket = await settled()
    const one = visit.send(move)
    const other = visit.send({ type: "start" })
    const [, first, second] = socket.sent
    expect(first!.id).not.toBe(second!.id)
    socket.say({ type: "accepted", id: second!.id!, version: 7 }).say({ type: "accepted", id: first!.id!, version: 6 })
    await expect(one).resolves.toMatchObject({ version: 6 })
    await expect(other).resolves.toMatchObject({ version: 7 })
  })

  it("are refused in words, with the time after which to try again", async () => {
    const socket = await settled()
    const sent = visit.send(move)
    socket.say({
      type: "refused",
      id: socket.sent[1]!.id!,
      reason: "busy",
      text: "Too much at once.",
      rule: null,
      version: null,
      retry_after: 2.5,
    })
    const error = await sent.catch((refusal: unknown) => refusal)
    expect(error).toBeInstanceOf(Refusal)
    expect(error).toMatchObject({ reason: "busy", message: "Too much at once.", retryAfter: 2.5 })
  })

  it("ask whether a move is possible, and for a hint", async () => {
    const socket = await settled()
    const checked = visit.ask({ type: "check", seat: 0, move: "Sa1" })
    const hinted = visit.ask({ type: "hint", seat: 0 })
    const [, check, hint] = socket.sent
    expect(check).toMatchObject({ type: "check", seat: 0, move: "Sa1" })
    socket.say({ type: "checked", id: check!.id!, legal: false, text: "taken", rule: "I2", after: null })
    const best = { seat: 0, version: 5, measure: "chance", moves: [], chances: [], exact: false, player: "x" } as const
    socket.say({ type: "hinted", id: hint!.id!, ...best, moves: [], chances: [] })
    await expect(checked).resolves.toMatchObject({ legal: false, text: "taken" })
    await expect(hinted).resolves.toMatchObject({ player: "x" })
  })

  it("wait for a connection", async () => {
    const socket = await arrive()
    void visit.send(move).catch(() => {})
    expect(socket.sent).toEqual([])
    socket.open()
    expect(socket.types()).toEqual(["join", "move"])
  })

  it("that were not answered are sent again with the same id, and those that were are not", async () => {
    const socket = await settled()
    const sent = visit.send(move)
    void visit.send({ type: "start" })
    socket.say({ type: "accepted", id: socket.sent[2]!.id!, version: 6 })
    const pending = socket.sent[1]!
    socket.close()
    expect(visit.connected).toBe(false)
    await passing(500)
    const next = FakeSocket.last
    expect(next).not.toBe(socket)
    next.open()
    expect(next.sent).toEqual([{ type: "join", language: "en" }, pending])
    next.say({ type: "accepted", id: pending.id!, version: 6 }).say(snapshot(6))
    await expect(sent).resolves.toMatchObject({ version: 6 })
  })

  it("fail when the visit ends", async () => {
    await settled()
    const sent = visit.send(move)
    visit.close()
    await expect(sent).rejects.toMatchObject({ reason: "unreachable" })
  })
})

describe("a lost connection", () => {
  it("comes back by exponential backoff, and starts quickly again once it was up", async () => {
    const socket = await settled()
    socket.close()
    const delays: number[] = []
    for (let attempt = 0; attempt < 4; attempt++) {
      const before = Date.now()
      const known = FakeSocket.all.length
      while (FakeSocket.all.length === known) await passing(25)
      delays.push(Date.now() - before)
      FakeSocket.last.open()
      FakeSocket.last.close()
    }
    for (const [index, usual] of [300, 700, 1500, 3000].entries()) {
      expect(delays[index]).toBeGreaterThanOrEqual(usual * 0.75)
      expect(delays[index]).toBeLessThanOrEqual(usual * 1.25 + 25)
    }
    await passing(8000)
    FakeSocket.last.open().say(snapshot(9)).close()
    const known = FakeSocket.all.length
    await passing(400)
    expect(FakeSocket.all.length).toBe(known + 1)
  })

  it("is noticed at once when the browser says so, and mended when it is over", async () => {
    const socket = await settled()
    dispatchEvent(new Event("offline"))
    expect(visit.connected).toBe(false)
    expect(socket.readyState).toBe(FakeSocket.CLOSED)
    const sent = visit.send({ type: "move", seat: 0, version: 5, move: "Sc3" })
    expect(visit.waiting).toBe(1)
    await passing(400)
    dispatchEvent(new Event("online"))
    const again = FakeSocket.last.open().say(snapshot(5))
    expect(visit.connected).toBe(true)
    const { id } = again.sent.find(({ type }) => type === "move")!
    again.say({ type: "accepted", id: id!, version: 6 })
    await sent
    expect(visit.waiting).toBe(0)
  })

  it("is suspected when an answer takes longer than two seconds, and cured by a new one", async () => {
    const socket = await settled()
    void visit.send({ type: "move", seat: 0, version: 5, move: "Sc3" }).catch(() => {})
    await passing(1000)
    expect(visit.late).toBe(false)
    expect(socket.types()).toContain("ping")
    await passing(1000)
    expect(visit.late).toBe(true)
    await passing(3500)
    expect(socket.readyState).toBe(FakeSocket.CLOSED)
    await passing(500)
    const again = FakeSocket.last.open().say(snapshot(5))
    expect(visit.late).toBe(false)
    expect(again.types()).toContain("move")
  })

  it("is not suspected where a slow answer is not the only thing that is heard", async () => {
    const socket = await settled()
    void visit.ask({ type: "hint", seat: 0 }).catch(() => {})
    await passing(1100)
    socket.say({ type: "pong", now: 1, version: 0 })
    await passing(5000)
    expect([visit.late, visit.connected]).toEqual([false, true])
  })

  it("is noticed by a heartbeat that nobody answers", async () => {
    const socket = await settled()
    await passing(20_000)
    expect(socket.types().at(-1)).toBe("ping")
    socket.say({ type: "pong", now: 1, version: 0 })
    await passing(20_000 + 7_900)
    expect(socket.types().filter((type) => type === "ping")).toHaveLength(2)
    expect(socket.readyState).toBe(FakeSocket.OPEN)
    await passing(200)
    expect(socket.readyState).toBe(FakeSocket.CLOSED)
  })

  it("is said within four seconds while it is one's turn, though nothing is sent and the browser knows of nothing", async () => {
    const socket = (await arrive()).open().say(snapshot(5, { legal: { 0: ["T"] } }))
    const pings = () => socket.types().filter((type) => type === "ping").length
    await passing(3000)
    socket.say({ type: "pong", now: 1, version: 5 })
    expect([pings(), visit.late]).toEqual([1, false])
    await passing(4000)
    expect([pings(), visit.late]).toEqual([2, true])
    await passing(3000)
    expect(socket.readyState).toBe(FakeSocket.CLOSED)
  })

  it.each([
    ["somebody else is to decide", { legal: {} }],
    ["a crowd decides at once", { legal: { 0: ["T"] }, room: roomState({ crowd: true }) }],
  ])("is looked after in the usual time while %s", async (_, changes) => {
    const socket = (await arrive()).open().say(snapshot(5, changes))
    await passing(19_000)
    expect(socket.types()).not.toContain("ping")
  })

  it("that a heartbeat finds to be behind is asked for a snapshot", async () => {
    const socket = await settled()
    const joins = () => socket.types().filter((type) => type === "join").length
    expect(joins()).toBe(1)
    await passing(20_000)
    socket.say({ type: "pong", now: 1, version: 99 })
    expect(joins()).toBe(1)
    await passing(20_000)
    socket.say({ type: "pong", now: 2, version: 99 })
    expect(joins()).toBe(2)
    socket.say(snapshot(99))
    await passing(20_000)
    socket.say({ type: "pong", now: 3, version: 99 })
    expect(joins()).toBe(2)
  })

  it("that does not open is given up after a while", async () => {
    const socket = await arrive()
    await passing(7_900)
    expect(socket.readyState).toBe(FakeSocket.CONNECTING)
    await passing(200)
    expect(socket.readyState).toBe(FakeSocket.CLOSED)
  })

  it("is tried at once when the browser is online again", async () => {
    const socket = await settled()
    socket.close()
    dispatchEvent(new Event("online"))
    await passing(0)
    expect(FakeSocket.all).toHaveLength(2)
  })

  it("shows the room as it was last seen, with nothing to do in it", async () => {
    const kept = snapshot(4, { legal: { 0: ["T"] }, talk: [] })
    vi.mocked(seen.lastSeen).mockResolvedValue(kept)
    const socket = await arrive()
    socket.close()
    await passing(0)
    expect(visit.update).toEqual({ ...kept, legal: {} })
    expect(visit.steps).toEqual(kept.steps)
    expect(visit.connected).toBe(false)
  })
})

describe("goodbye", () => {
  it("is obeyed: nobody comes back before the time", async () => {
    const socket = await settled()
    socket.say({ type: "goodbye", reason: "restart", retry_after: 5 }).close()
    await passing(4_900)
    dispatchEvent(new Event("online"))
    await passing(0)
    expect(FakeSocket.all).toHaveLength(1)
    await passing(200)
    expect(FakeSocket.all).toHaveLength(2)
  })

  it("from an unknown room is final", async () => {
    const socket = (await arrive()).open()
    socket.say({ type: "goodbye", reason: "unknown", retry_after: 0 }).close()
    await passing(60_000)
    expect(visit.unknown).toBe(true)
    expect(FakeSocket.all).toHaveLength(1)
  })

  it("of one's own ends everything", async () => {
    const socket = await settled()
    visit.close()
    await passing(120_000)
    expect(socket.readyState).toBe(FakeSocket.CLOSED)
    expect(FakeSocket.all).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe("polling, where sockets are blocked", () => {
  const never = () => new Promise<never>(() => {})

  async function blocked(): Promise<void> {
    await arrive()
    for (let attempt = 0; attempt < 3; attempt++) {
      FakeSocket.last.close()
      await passing(2_000)
    }
  }

  it("begins after three sockets that never opened, and commands go by POST", async () => {
    const updates = vi.spyOn(api, "updates").mockResolvedValueOnce(snapshot(5)).mockImplementation(never)
    const command = vi.spyOn(api, "command").mockResolvedValue({ type: "accepted", id: "x", version: 6 })
    await blocked()
    expect(FakeSocket.all).toHaveLength(3)
    expect(updates.mock.calls).toEqual([
      ["r1", null],
      ["r1", 5],
    ])
    expect(visit.connected).toBe(true)
    await expect(visit.send({ type: "start" })).resolves.toMatchObject({ version: 6 })
    expect(command.mock.calls[0]).toMatchObject(["r1", { type: "start" }])
  })

  it("takes along what was sent before, and repeats it as it is until it is answered", async () => {
    vi.spyOn(api, "updates").mockImplementation(never)
    const unreachable = new Refusal("unreachable", "")
    Object.setPrototypeOf(unreachable, (await import("$page/net/api")).Unreachable.prototype)
    const command = vi
      .spyOn(api, "command")
      .mockRejectedValueOnce(unreachable)
      .mockResolvedValue({ type: "checked", id: "x", legal: true, text: null, rule: null, after: null })
    await arrive()
    const asked = visit.ask({ type: "check", seat: 0, move: "Sa1" })
    for (let attempt = 0; attempt < 3; attempt++) {
      FakeSocket.last.close()
      await passing(2_000)
    }
    await expect(asked).resolves.toMatchObject({ legal: true })
    expect(command).toHaveBeenCalledTimes(2)
    expect(command.mock.calls[0]).toEqual(command.mock.calls[1])
  })

  it("learns that there is no such room", async () => {
    const updates = vi.spyOn(api, "updates").mockRejectedValue(new Refusal("unknown", "no such room"))
    await blocked()
    await passing(10_000)
    expect(visit.unknown).toBe(true)
    expect(updates).toHaveBeenCalledTimes(1)
  })

  it("waits as long as the server asks", async () => {
    const updates = vi.spyOn(api, "updates").mockRejectedValue(new Refusal("busy", "", null, 30))
    await blocked()
    await passing(20_000)
    expect(updates).toHaveBeenCalledTimes(1)
    expect(visit.connected).toBe(false)
    await passing(15_000)
    expect(updates).toHaveBeenCalledTimes(2)
  })
})

describe("promises of fair chance", () => {
  const plain = { context: null, seals: {}, call: null, openings: {} }
  const promise = { game: 1, commitment: "c1", words: {}, secret: null, ...plain }

  it("are noted when they are told, and once", async () => {
    const write = vi.spyOn(promises, "notePromises")
    const socket = await arrive()
    const room = roomState({ number: 0, playing: false, promises: [promise] })
    socket.open().say(snapshot(1, { room, steps: [] }))
    for (let version = 2; version < 9; version++) socket.say(updateOf(version, { room }))
    expect(write).toHaveBeenCalledTimes(1)
    expect(promises.seenPromise("r1", 1)).toMatchObject({ commitment: "c1", running: false })
    const begun = roomState({ promises: [{ ...promise, words: { 0: "fortuna" } }] })
    socket.say(updateOf(9, { room: begun, steps: [step(9)] }))
    expect(promises.seenPromise("r1", 1)).toMatchObject({ words: { 0: "fortuna" }, running: true })
  })
})

describe("what was seen", () => {
  it("is written down at once, and then at most once a second, the newest last", async () => {
    const socket = await settled()
    const kept = vi.mocked(seen.keepSeen)
    expect(kept).toHaveBeenCalledTimes(1)
    for (let version = 6; version < 30; version++) socket.say(updateOf(version))
    expect(kept).toHaveBeenCalledTimes(1)
    await passing(1_000)
    expect(kept).toHaveBeenCalledTimes(2)
    expect(kept.mock.calls[1]![1]).toMatchObject({ version: 29, reset: true })
    await passing(5_000)
    expect(kept).toHaveBeenCalledTimes(2)
  })

  it("has the last step and the talk, and is written before the visit ends", async () => {
    const socket = await settled()
    const last = step(6, { seat: 0, move: "Sc3" })
    socket.say(updateOf(6, { steps: [last] }))
    visit.close()
    expect(vi.mocked(seen.keepSeen).mock.calls.at(-1)![1]).toMatchObject({ version: 6, steps: [last] })
  })
})
