/** A visit to a room: one conversation that comes back by itself, over a socket, or by polling where sockets are blocked. */
import { language } from "../words/words.svelte"
import { Refusal, Unreachable, api } from "./api"
import { keepSeen, lastSeen } from "./seen"
import type * as s from "./types"

type WithoutId<T> = T extends { id: string } ? Omit<T, "id"> : never
export type Command = WithoutId<s.ClientMessage>

interface Waiting {
  command: object
  done: (accepted: s.Accepted) => void
  failed: (error: Refusal) => void
}

const HEARTBEAT = 20_000
const PATIENCE = 8_000
const WAITS = [300, 700, 1500, 3000, 6000]

export class Visit {
  update = $state.raw<s.Update | null>(null)
  /** All events that have been told, oldest first. */
  events = $state.raw<s.Happened[]>([])
  /** Whether the conversation is up; a short silence is not worth a word. */
  connected = $state(false)
  /** There is no such room. */
  unknown = $state(false)
  /** How far the server's clock is ahead of ours, in seconds. */
  ahead = $state(0)

  #socket: WebSocket | null = null
  #closed = false
  #tries = 0
  #everOpen = false
  #polling = false
  #waiting = new Map<string, Waiting>()
  #timers = new Set<ReturnType<typeof setTimeout>>()
  #heard = 0
  #language = language()

  constructor(readonly room: string) {
    void this.#connect()
    addEventListener("online", this.#again)
    document.addEventListener("visibilitychange", this.#again)
  }

  /** The seats that are yours. */
  get seats(): number[] {
    const seats = this.update?.table.seats ?? {}
    return Object.keys(seats)
      .map(Number)
      .filter((seat) => seats[seat]?.yours)
  }

  /** Has the server do something; resolves when it is on disk. Repeated after a lost connection: that is harmless. */
  send(command: Command): Promise<s.Accepted> {
    const id = newId()
    const message = { ...command, id }
    return new Promise((done, failed) => {
      this.#waiting.set(id, { command: message, done, failed })
      if (this.#polling) void this.#post(id)
      else if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message))
    })
  }

  /** From now on the server's sentences come in this language. */
  speak(language: s.Language): void {
    if (language !== this.#language && this.#socket?.readyState === WebSocket.OPEN) this.#join(this.#socket, language)
    this.#language = language
  }

  close(): void {
    this.#closed = true
    removeEventListener("online", this.#again)
    document.removeEventListener("visibilitychange", this.#again)
    for (const timer of this.#timers) clearTimeout(timer)
    this.#socket?.close()
    for (const { failed } of this.#waiting.values()) failed(new Unreachable())
  }

  #again = () => {
    if (document.visibilityState === "visible" && !this.#polling && !this.#socket) void this.#connect()
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
    this.#later(PATIENCE, () => socket.readyState === WebSocket.CONNECTING && socket.close())
    socket.onopen = () => {
      this.#everOpen = true
      this.#join(socket, this.#language)
      for (const { command } of this.#waiting.values()) socket.send(JSON.stringify(command))
      this.#heard = Date.now()
      this.#beat(socket)
    }
    socket.onmessage = (event) => {
      this.#heard = Date.now()
      this.#take(JSON.parse(event.data as string) as s.ServerMessage)
    }
    socket.onclose = () => {
      if (this.#socket === socket) this.#socket = null
      this.connected = false
      if (this.#closed || this.unknown) return
      if (!this.#everOpen && this.#tries >= 2) void this.#poll()
      else this.#retry()
    }
  }

  #join(socket: WebSocket, language: s.Language): void {
    socket.send(JSON.stringify({ type: "join", version: this.update?.version ?? null, language }))
  }

  #retry(): void {
    void this.#recall()
    const wait = WAITS[Math.min(this.#tries++, WAITS.length - 1)] ?? 6000
    this.#later(wait * (0.75 + Math.random() / 2), () => void this.#connect())
  }

  /** Without a connection, a room is shown as it was last seen, with nothing to do in it. */
  async #recall(): Promise<void> {
    if (this.update) return
    const seen = await lastSeen(this.room)
    if (!seen || this.update) return
    this.events = seen.events
    this.update = { ...seen, legal: {} }
  }

  #beat(socket: WebSocket): void {
    this.#later(HEARTBEAT, () => {
      if (this.#socket !== socket || socket.readyState !== WebSocket.OPEN) return
      socket.send(JSON.stringify({ type: "ping" }))
      const asked = Date.now()
      this.#later(PATIENCE, () => this.#socket === socket && this.#heard < asked && socket.close())
      this.#beat(socket)
    })
  }

  #take(message: s.ServerMessage): void {
    switch (message.type) {
      case "update":
        this.#tries = 0
        this.#show(message)
        break
      case "accepted":
        this.#waiting.get(message.id)?.done(message)
        this.#waiting.delete(message.id)
        break
      case "refused":
        if (message.id !== null) {
          this.#waiting.get(message.id)?.failed(new Refusal(message.reason, message.text, message.rule))
          this.#waiting.delete(message.id)
        } else if (message.reason === "unknown") this.unknown = true
        break
      case "goodbye":
        if (message.reason === "unknown") this.unknown = true
        break
      case "pong":
        break
    }
  }

  #show(update: s.Update): void {
    this.connected = true
    this.ahead = update.table.now - Date.now() / 1000
    const known = this.events.at(-1)?.version ?? 0
    this.events = update.reset ? update.events : [...this.events, ...update.events.filter((e) => e.version > known)]
    this.update = update
    void keepSeen(this.room, { ...update, reset: true, events: this.events })
  }

  async #poll(): Promise<void> {
    this.#polling = true
    for (const id of this.#waiting.keys()) void this.#post(id)
    while (!this.#closed) {
      try {
        this.#show(await api.updates(this.room, this.update?.version ?? null))
      } catch (error) {
        if (error instanceof Refusal && error.reason === "unknown") {
          this.unknown = true
          return
        }
        this.connected = false
        await new Promise((resolve) => setTimeout(resolve, 1500))
      }
    }
  }

  async #post(id: string): Promise<void> {
    const waiting = this.#waiting.get(id)
    while (waiting && this.#waiting.has(id) && !this.#closed) {
      try {
        waiting.done(await api.command(this.room, waiting.command))
        this.#waiting.delete(id)
      } catch (error) {
        if (error instanceof Unreachable) {
          await new Promise((resolve) => setTimeout(resolve, 1500))
        } else {
          waiting.failed(error as Refusal)
          this.#waiting.delete(id)
        }
      }
    }
  }
}

let introduction: Promise<unknown> | null = null

/** Resolves when the server knows this browser. */
export function introduced(): Promise<unknown> {
  introduction ??= api.me().catch((error: unknown) => {
    introduction = null
    throw error
  })
  return introduction
}

function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}
