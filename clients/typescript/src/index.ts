/** A client for Sobremesa servers: docs/server.md explains the conversation. */
import type { Accepted, Checked, CreateRoom, Found, Hinted, Refused, ServerMessage, Update } from "./messages.js"
import type { ClientMessage } from "./messages.js"

export type * from "./messages.js"

type Answer = Accepted | Checked | Found | Hinted
type Command = Exclude<ClientMessage, { type: "join" } | { type: "ping" }>
/** What is asked for, without the id, which the client gives. */
export type Ask = Command extends infer C ? (C extends { id: string } ? Omit<C, "id"> : never) : never

/** The server said no: `reason` is for programs, the message for people. */
export class RefusedError extends Error {
  readonly refused: Refused
  constructor(refused: Refused) {
    super(`${refused.reason}: ${refused.text}`)
    this.refused = refused
  }
  get reason(): Refused["reason"] {
    return this.refused.reason
  }
}

/** Somebody at a server; the token is who they are. In a browser the cookie is, and there is no token. */
export class Guest {
  readonly server: string
  readonly token: string | undefined

  constructor(server: string, token?: string) {
    this.server = server.replace(/\/$/, "")
    this.token = token
  }

  /** Comes to a server for the first time. */
  static async arrive(server: string): Promise<Guest> {
    const answer = await fetch(new URL("/api/me", server))
    const cookie = answer.headers.get("set-cookie")?.split(";")[0]
    return new Guest(server, cookie?.slice(cookie.indexOf("=") + 1))
  }

  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers: Record<string, string> = { "Content-Type": "application/json" }
    if (this.token !== undefined) headers.Authorization = `Bearer ${this.token}`
    const text = body === undefined ? undefined : JSON.stringify(body)
    const answer = await fetch(this.server + path, { method, headers, body: text })
    if (!answer.ok) throw new RefusedError((await answer.json()) as Refused)
    return (await answer.json()) as T
  }

  /** Opens a room; asking twice with the same id opens one. */
  async openRoom(setup: CreateRoom): Promise<string> {
    return (await this.call<{ room: string }>("POST", "/api/rooms", { id: newId(), ...setup })).room
  }

  /** Begins a conversation about a room. */
  enter(room: string): Visit {
    return new Visit(this, room)
  }
}

/** A conversation about a room, with the latest update at hand. Iterate over it for each update that comes. */
export class Visit {
  /** The latest update; undefined before the first. */
  update: Update | undefined
  private readonly guest: Guest
  private readonly room: string
  private socket: WebSocket | undefined
  private left = false
  private delay = 50
  private readonly waiting = new Map<string, { text: string; done: (a: Answer) => void; no: (e: Error) => void }>()
  private listeners: Array<() => void> = []

  constructor(guest: Guest, room: string) {
    this.guest = guest
    this.room = room
    this.connect()
  }

  /** Makes a move in answer to the latest update; resolves when it is on disk. */
  async move(seat: number, move: string): Promise<Answer> {
    return this.ask({ type: "move", seat, move, version: this.update?.version ?? 0 })
  }

  /** Has a command done, or asks a question; rejects with a RefusedError. */
  async ask(asked: Ask): Promise<Answer> {
    const id = newId()
    const text = JSON.stringify({ ...asked, id })
    const answer = new Promise<Answer>((done, no) => this.waiting.set(id, { text, done, no }))
    this.send(text)
    return answer
  }

  /** Ends the conversation. */
  leave(): void {
    this.left = true
    this.socket?.close()
    for (const { no } of this.waiting.values()) no(new Error("the conversation has ended"))
    this.waiting.clear()
    this.wake()
  }

  /** The latest update, then each newer one; those that come while one is looked at are told by the last of them. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Update> {
    let seen: Update | undefined
    while (!this.left) {
      if (this.update !== undefined && this.update !== seen) {
        seen = this.update
        yield seen
      } else {
        await new Promise<void>((awake) => this.listeners.push(awake))
      }
    }
  }

  private connect(): void {
    const address = `${this.guest.server.replace(/^http/, "ws")}/api/rooms/${this.room}/socket`
    const headers = { Authorization: `Bearer ${this.guest.token}` }
    // Browsers take no headers and send the cookie; programs send the token.
    const socket = this.guest.token === undefined ? new WebSocket(address) : openWith(address, headers)
    this.socket = socket
    socket.onopen = () => {
      socket.send(JSON.stringify({ type: "join" }))
      for (const { text } of this.waiting.values()) socket.send(text)
    }
    socket.onmessage = (event) => {
      this.delay = 50
      this.hear(JSON.parse(String(event.data)) as ServerMessage)
    }
    socket.onclose = () => {
      if (this.left || this.socket !== socket) return
      setTimeout(() => this.left || this.connect(), this.delay)
      this.delay = Math.min(2 * this.delay, 2000)
    }
    socket.onerror = () => undefined
  }

  private send(text: string): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text)
  }

  private hear(message: ServerMessage): void {
    if (message.type === "update") {
      this.update = message
      this.wake()
    } else if ("id" in message && message.id !== null) {
      const waiting = this.waiting.get(message.id)
      this.waiting.delete(message.id)
      if (message.type === "refused") waiting?.no(new RefusedError(message))
      else waiting?.done(message)
    }
  }

  private wake(): void {
    const listeners = this.listeners
    this.listeners = []
    for (const awake of listeners) awake()
  }
}

function openWith(address: string, headers: Record<string, string>): WebSocket {
  const Opened = WebSocket as unknown as new (address: string, options: object) => WebSocket
  return new Opened(address, { headers })
}

function newId(): string {
  return crypto.randomUUID().replaceAll("-", "")
}
