/** A visit to a room: one conversation that reconnects by itself, over a socket, or by long polling where sockets are blocked. */
import limits from "$schema/limits.json"
import { isQuiet, withoutTakenBack } from "../games/steps"
import { language } from "../words/words.svelte"
import { Refusal, Unreachable, api, newId } from "./api"
import { takePart } from "./binding"
import { notePromises } from "./promises"
import { keepSeen, lastSeen } from "./seen"
import { noteTables, takeUp } from "./waiting.svelte"
import type * as s from "./types"

type Answer = s.Accepted | s.Checked | s.Hinted | s.Found
/** What each question is answered with. */
interface Answers {
  check: s.Checked
  hint: s.Hinted
  hurry: s.Accepted
  find: s.Found
}

interface Unanswered {
  /** With its id, the idempotency key: it may be sent again as it is. */
  message: object
  resolve: (answer: Answer) => void
  reject: (error: Refusal) => void
}

const HEARTBEAT_MS = 20_000
/** The heartbeat of whoever is to decide and looks at the page: “Your turn” must not stay up over a dead connection. A ping
 * costs the server as good as nothing, but everybody behind one address shares 40 messages a second: so a café of a hundred
 * phones has room, and in a crowd, where all decide at once and rounds come by themselves, the slow one is enough. */
const TURN_HEARTBEAT_MS = 3_000
/** How long a connection may take to open, or to answer a heartbeat. */
const ANSWER_TIMEOUT_MS = 8_000
/** After this an answer is late, and so is that to the question whether anybody is there: the connection may be down
 * without having said so. */
const LATE_MS = 950
/** How long who does not answer is waited for before a new connection is made. */
const GIVE_UP_MS = 4_000
/** Exponential backoff, each with up to a quarter of jitter. */
const RETRY_DELAYS_MS = [300, 700, 1500, 3000, 6000]
const POLLING_RETRY_MS = 1_500
/** Sockets that never opened before they are taken to be blocked. */
const FAILURES_BEFORE_POLLING = 3
/** What was seen is written down at most once in this time. */
const KEEP_INTERVAL_MS = 1_000

export class Visit {
  update = $state.raw<s.Update | null>(null)
  /** What has happened at the table in the running or last game, as far as it was told, oldest first. */
  steps = $state.raw<s.Step[]>([])
  /** What was said around the table, oldest first. */
  talk = $state.raw<s.TalkLine[]>([])
  /** Whether the conversation is up; a short silence is not worth a word. */
  connected = $state(false)
  /** Whether nothing is heard although an answer is due: the connection seems to be down. */
  late = $state(false)
  /** How much is to be sent, or has not been answered yet. */
  waiting = $state(0)
  /** There is no such room. */
  unknown = $state(false)
  /** How far the server's clock is ahead of ours, in seconds. */
  ahead = $state(0)

  #socket: WebSocket | null = null
  #closed = false
  #failures = 0
  #everOpen = false
  #polling = false
  /** The server has asked not to come back before this, in milliseconds since 1970. */
  #notBefore = 0
  #unanswered = new Map<string, Unanswered>()
  #timers = new Set<ReturnType<typeof setTimeout>>()
  #lastMessageAt = 0
  #language = language()
  #keeping: ReturnType<typeof setTimeout> | null = null
  #keptAt = 0
  /** The version that the server named at the last heartbeat. */
  #expected = 0
  /** The promises that were written down last. */
  #noted = ""

  constructor(readonly room: string) {
    takeUp(room)
    void this.#connect()
    addEventListener("online", this.#reconnect)
    addEventListener("offline", this.#goneOffline)
    document.addEventListener("visibilitychange", this.#reconnect)
    document.addEventListener("visibilitychange", this.#tellWhetherSeen)
  }

  /** The seats that are yours. */
  get seats(): number[] {
    return this.update ? ownSeats(this.update.room) : []
  }

  /** Has the server do something; resolves when it is on disk. Repeated after a lost connection: the id makes that harmless. */
  send(command: s.Command): Promise<s.Accepted> {
    // Whoever sits down here takes part in fair chance.
    const asked = command.type === "sit" ? { ...command, seals: true } : command
    return this.#request(asked) as Promise<s.Accepted>
  }

  /** Asks something that changes nothing. */
  ask<Q extends s.Question>(question: Q): Promise<Answers[Q["type"]]> {
    return this.#request(question) as Promise<Answers[Q["type"]]>
  }

  #request(request: s.Command | s.Question): Promise<Answer> {
    const id = newId()
    const message = { ...request, id }
    return new Promise((resolve, reject) => {
      this.#unanswered.set(id, { message, resolve, reject })
      this.waiting = this.#unanswered.size
      this.#later(LATE_MS, () => this.#unanswered.has(id) && this.#suspect())
      if (this.#polling) void this.#post(id)
      else if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message))
    })
  }

  /** From now on the server's sentences come in this language. */
  speak(language: s.Language): void {
    const changed = language !== this.#language
    this.#language = language
    if (changed) this.#join()
  }

  close(): void {
    this.#closed = true
    removeEventListener("online", this.#reconnect)
    removeEventListener("offline", this.#goneOffline)
    document.removeEventListener("visibilitychange", this.#reconnect)
    document.removeEventListener("visibilitychange", this.#tellWhetherSeen)
    for (const timer of this.#timers) clearTimeout(timer)
    if (this.#keeping !== null) this.#keepNow()
    this.#socket?.close()
    for (const { reject } of this.#unanswered.values()) reject(new Unreachable())
    this.#unanswered.clear()
  }

  #reconnect = () => {
    const welcome = Date.now() >= this.#notBefore
    if (document.visibilityState === "visible" && welcome && !this.#polling && !this.#socket) void this.#connect()
  }

  /** Who does not look at the page may be told on a device. */
  #tellWhetherSeen = () => {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(ping()))
  }

  /** The browser knows that there is no network: a socket would find out much later. */
  #goneOffline = () => {
    this.connected = false
    const socket = this.#socket
    if (!socket) return
    this.#socket = null
    socket.onclose = socket.onmessage = () => {}
    socket.close()
    this.#retry()
  }

  /** An answer is late: if nothing else is heard either, that is said, and then a new connection is made. */
  #suspect(): void {
    const socket = this.#socket
    if (this.#polling || socket?.readyState !== WebSocket.OPEN) return
    const askedAt = Date.now()
    this.#ping(socket, GIVE_UP_MS)
    this.#later(LATE_MS, () => (this.late ||= this.#socket === socket && this.#lastMessageAt < askedAt))
  }

  #ping(socket: WebSocket, patience: number): void {
    socket.send(JSON.stringify(ping()))
    const sentAt = Date.now()
    this.#later(patience, () => this.#socket === socket && this.#lastMessageAt < sentAt && socket.close())
  }

  #later(after: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      action()
    }, after)
    this.#timers.add(timer)
  }

  async #connect(): Promise<void> {
    if (this.#closed || this.#socket) return
    try {
      // Who we are comes with the first answer of the server, and a socket wants to know.
      await introduced()
    } catch {
      this.#retry()
      return
    }
    if (this.#closed || this.#socket) return
    const address = new URL(`/api/rooms/${this.room}/socket`, location.href)
    address.protocol = address.protocol.replace("http", "ws")
    const socket = new WebSocket(address)
    this.#socket = socket
    this.#later(ANSWER_TIMEOUT_MS, () => socket.readyState === WebSocket.CONNECTING && socket.close())
    socket.onopen = () => {
      this.#everOpen = true
      this.#join()
      if (document.visibilityState === "hidden") this.#tellWhetherSeen()
      for (const { message } of this.#unanswered.values()) socket.send(JSON.stringify(message))
      this.#lastMessageAt = Date.now()
      this.#heartbeat(socket)
      this.#turnHeartbeat(socket)
    }
    socket.onmessage = (event) => {
      this.#lastMessageAt = Date.now()
      this.late = false
      this.#receive(JSON.parse(event.data as string) as s.ServerMessage)
    }
    socket.onclose = (event?: CloseEvent) => {
      if (event?.code === 4401) introduction = null // our token was ended: the next answer brings a new one
      if (this.#socket === socket) this.#socket = null
      this.connected = false
      if (this.#closed || this.unknown) return
      if (!this.#everOpen && this.#failures >= FAILURES_BEFORE_POLLING - 1) void this.#poll()
      else this.#retry()
    }
  }

  /** Opens the conversation; it is answered with a snapshot. */
  #join(): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return
    this.#socket.send(JSON.stringify({ type: "join", language: this.#language } satisfies s.Join))
  }

  #retry(): void {
    void this.#showLastSeen()
    const delay = RETRY_DELAYS_MS[Math.min(this.#failures++, RETRY_DELAYS_MS.length - 1)]!
    const asked = this.#notBefore - Date.now()
    this.#later(Math.max(delay * (0.75 + Math.random() / 2), asked), () => void this.#connect())
  }

  /** Without a connection, a room is shown as it was last seen, with nothing to do in it. */
  async #showLastSeen(): Promise<void> {
    if (this.update) return
    const seen = await lastSeen(this.room)
    if (!seen || this.update) return
    this.steps = seen.steps
    this.talk = seen.talk
    this.update = { ...seen, legal: {} }
  }

  #heartbeat(socket: WebSocket): void {
    this.#later(HEARTBEAT_MS, () => {
      if (this.#socket !== socket || socket.readyState !== WebSocket.OPEN) return
      this.#ping(socket, ANSWER_TIMEOUT_MS)
      this.#heartbeat(socket)
    })
  }

  #turnHeartbeat(socket: WebSocket): void {
    this.#later(TURN_HEARTBEAT_MS, () => {
      if (this.#socket !== socket || socket.readyState !== WebSocket.OPEN) return
      const silence = Date.now() - this.#lastMessageAt
      const { legal = {}, room } = this.update ?? {}
      const toDecide = !room?.crowd && Object.values(legal).some((moves) => moves.length)
      if (toDecide && document.visibilityState === "visible" && silence >= TURN_HEARTBEAT_MS / 2) this.#suspect()
      this.#turnHeartbeat(socket)
    })
  }

  #receive(message: s.ServerMessage): void {
    switch (message.type) {
      case "update":
        this.#failures = 0
        this.#show(message)
        break
      case "accepted":
      case "checked":
      case "hinted":
      case "found":
        this.#answered(message.id)?.resolve(message)
        break
      case "refused":
        if (message.id !== null) this.#answered(message.id)?.reject(Refusal.from(message))
        else if (message.reason === "unknown") this.unknown = true
        break
      case "goodbye":
        if (message.reason === "unknown") this.unknown = true
        this.#notBefore = Date.now() + message.retry_after * 1000
        break
      case "pong":
        // What a crowd does is told now and then; who has not been told for a whole heartbeat has missed it.
        if ((this.update?.version ?? 0) < this.#expected) this.#join()
        this.#expected = message.version ?? 0
        break
    }
  }

  #answered(id: string): Unanswered | undefined {
    const unanswered = this.#unanswered.get(id)
    this.#unanswered.delete(id)
    this.waiting = this.#unanswered.size
    return unanswered
  }

  #show(update: s.Update): void {
    const before = this.update?.room
    this.connected = true
    this.ahead = update.room.now - Date.now() / 1000
    this.steps = this.#stepsWith(update)
    this.talk = update.reset ? update.talk : [...this.talk, ...update.talk].slice(-limits.talkLines)
    this.update = update
    const { number, playing, promises, drawing } = update.room
    const noted = JSON.stringify([number, playing, promises, drawing?.stage, this.seats])
    const fresh = noted !== this.#noted
    if (fresh || update.steps.some(({ draw }) => draw != null)) notePromises(update.room, update.steps)
    if (fresh) void takePart(update.room, (command) => this.send(command)).catch(() => {})
    this.#noted = noted
    this.#keep()
    // Whoever takes a seat, or gives one up, sees the table from another place; only a snapshot shows it from there.
    const moved = before && String(ownSeats(before)) !== String(ownSeats(update.room))
    if (moved && !update.reset && !update.steps.length && this.steps.length) this.#join()
  }

  /** The steps of the running or last game. A snapshot that brings the step that we have goes on from there. */
  #stepsWith({ reset, room, steps }: s.Update): s.Step[] {
    if (room.number !== this.update?.room.number) return steps.slice(Math.max(steps.findIndex(isQuiet), 0))
    const known = this.steps
    if (!steps.length) return reset ? [] : known
    const first = steps[0]!.version
    if (reset && known.at(-1)?.version !== first) return steps
    const all = withoutTakenBack([...known.filter(({ version }) => version < first), ...steps])
    // Of how far a crowd has come the newest is enough.
    return all.filter((step, index) => !isQuiet(step) || index === 0 || index === all.length - 1)
  }

  /** Writes down what was seen, throttled: at once, and while much happens once in a while. */
  #keep(): void {
    if (this.#keeping !== null) return
    const wait = this.#keptAt + KEEP_INTERVAL_MS - Date.now()
    if (wait <= 0) this.#keepNow()
    else this.#keeping = setTimeout(() => this.#keepNow(), wait)
  }

  #keepNow(): void {
    if (this.#keeping !== null) clearTimeout(this.#keeping)
    this.#keeping = null
    this.#keptAt = Date.now()
    if (this.update)
      void keepSeen(this.room, { ...this.update, reset: true, steps: this.steps.slice(-1), talk: this.talk })
  }

  async #poll(): Promise<void> {
    this.#polling = true
    for (const id of this.#unanswered.keys()) void this.#post(id)
    while (!this.#closed) {
      try {
        this.#show(await api.updates(this.room, this.update?.version ?? null))
      } catch (error) {
        if (error instanceof Refusal && error.reason === "unknown") {
          this.unknown = true
          return
        }
        this.connected = false
        await pause((error instanceof Refusal && error.retryAfter) || POLLING_RETRY_MS / 1000)
      }
    }
  }

  async #post(id: string): Promise<void> {
    while (this.#unanswered.has(id) && !this.#closed) {
      try {
        const answer = await api.command(this.room, this.#unanswered.get(id)!.message)
        this.late = false
        this.#answered(id)?.resolve(answer)
      } catch (error) {
        if (error instanceof Unreachable) await pause(POLLING_RETRY_MS / 1000)
        else this.#answered(id)?.reject(error as Refusal)
      }
    }
  }
}

/** Asks whether the server is there, and tells whether somebody is here. */
const ping = (): s.Ping => (document.visibilityState === "hidden" ? { type: "ping", hidden: true } : { type: "ping" })

const ownSeats = ({ seats }: s.RoomState): number[] =>
  Object.keys(seats)
    .map(Number)
    .filter((seat) => seats[seat]?.yours)

const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

let introduction: Promise<unknown> | null = null

/** Resolves when the server knows this browser. */
export function introduced(): Promise<unknown> {
  introduction ??= api.me().then(
    ({ rooms }) => noteTables(rooms),
    (error: unknown) => {
      introduction = null
      throw error
    },
  )
  return introduction
}
