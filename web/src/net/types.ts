/** The server's messages, as it describes them itself. */
export type * from "$schema/messages"
import type { Table, Update } from "$schema/messages"

export type Language = Table["language"]
export type AnyView = Update["views"][number]
