/** The server's messages, as it describes them itself. */
export type * from "$schema/messages"
import type { ClientMessage, CreateRoom, RoomState, Step, Update } from "$schema/messages"

export type Language = RoomState["language"]
export type AnyView = Step["views"][number]
export type TalkLine = Update["talk"][number]

/** How a room is set up. */
export type NewRoom = Omit<CreateRoom, "id">

type Questions = "check" | "hint" | "hurry" | "find"
type WithoutId<T> = T extends { id: string } ? Omit<T, "id"> : never
/** What changes a room. */
export type Command = WithoutId<Exclude<ClientMessage, { type: Questions }>>
/** What is answered and changes nothing. */
export type Question = WithoutId<Extract<ClientMessage, { type: Questions }>>
