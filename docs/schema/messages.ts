// Made by `sobremesa schema` from the server's messages. Do not edit.

export type Accepted = {
  type: "accepted"
  id: string
  version: number
}

export type ClientMessage = Join | Ping | Sit | Leave | PutEngine | Words | Start | Move | Say | Phrase | Manage

export type Created = {
  room: string
  version: number
  path: string
}

export type DailyProof = {
  date: string
  commitment: string
  secret: string
  rolls: Array<number>
}

export type DailyRanking = {
  date: string
  finished: number
  rows: Array<DailyRow>
}

export type DailyReview = {
  date: string
  engine: string
  rounds: Array<DailyRound>
  points: number
  engine_points: number
  finished: boolean
  commitment: string
  secret: string | null
}

export type DailyRound = {
  roll: number
  cell: string | null
  points: number | null
  engine_cell: string
  engine_points: number
}

export type DailyRow = {
  place: number
  name: string
  points: number
  yours: boolean
}

export type DailyStatus = {
  date: string
  commitment: string
  tomorrow: string
  round: number
  roll: number | null
  sheet: Array<number>
  points: number
  finished: boolean
  name: string | null
  longest_name: number
}

export type GameInfo = {
  id: string
  name: string
  designer: string
  version: number
  options: Array<OptionInfo>
  players: Array<string>
  phrases: Array<string>
  low_wins: boolean
  even_starts: boolean
}

export type GameStatistics = {
  game: string
  games: number
  wins: number
  best: number
  mean: number
  rating: Skill | null
}

export type Goodbye = {
  type: "goodbye"
  reason: string
  again: number
}

export type Happened = {
  version: number
  kind: string
  at: number
  seat: number | null
  name: string | null
  text: string | null
  number: number | null
}

export type Join = {
  type: "join"
  version?: number | null
  language?: "en" | "es" | "fr" | "nl"
}

export type LeaderRow = {
  place: number
  name: string
  engine: boolean
  rating: Skill
}

export type Leaderboard = {
  game: string
  rows: Array<LeaderRow>
}

export type Leave = {
  id: string
  type: "leave"
  seat: number
}

export type LobbyRoom = {
  id: string
  game: string
  public: boolean
  playing: boolean
  seated: number
  open: number
  changed_at: number
}

export type Manage = {
  id: string
  type: "manage"
  public?: boolean | null
  chat?: boolean | null
}

export type Me = {
  statistics: PersonStatistics
  rooms: Array<LobbyRoom>
}

export type Move = {
  id: string
  type: "move"
  seat: number
  version: number
  move: string
}

export type NewName = {
  name: string
}

export type NewRoom = {
  game: string
  options?: Record<string, number | string | boolean>
  seats: Array<SeatPlan>
  crowd?: boolean
  name?: string
  words?: string
  games?: number
  clock?: number
  public?: boolean
  chat?: boolean
  wait?: boolean
  language?: "en" | "es" | "fr" | "nl"
}

export type OptionInfo = {
  name: string
  default: number | string | boolean
  choices: Array<number | string | boolean>
}

export type PersonStatistics = {
  name: string
  games: Array<GameStatistics>
  last: Array<Played>
}

export type Phrase = {
  id: string
  type: "phrase"
  phrase: string
}

export type Ping = {
  type: "ping"
}

export type Played = {
  room: string
  number: number
  game: string
  seats: number
  score: number
  place: number
  at: number
}

export type Pong = {
  type: "pong"
  now: number
}

export type PutEngine = {
  id: string
  type: "engine"
  seat: number
  player: string
}

export type Refused = {
  type: "refused"
  id: string | null
  reason: string
  text: string
  rule: string | null
  version: number | null
}

export type Say = {
  id: string
  type: "say"
  text: string
}

export type SeatInfo = {
  kind: "person" | "engine" | "open" | "gone"
  name: string
  yours: boolean
  here: boolean
}

export type SeatPlan = {
  kind: "me" | "open" | "engine"
  player?: string
}

export type ServerMessage = Update | Accepted | Refused | Pong | Goodbye

export type Sit = {
  id: string
  type: "sit"
  name: string
  seat?: number | null
  words?: string
}

export type Skill = {
  ordinal: number
  mu: number
  sigma: number
  games: number
}

export type Standing = {
  scores: Array<number>
  places: Array<number>
}

export type Start = {
  id: string
  type: "start"
}

export type Table = {
  room: string
  game: string
  language: "en" | "es" | "fr" | "nl"
  options: Record<string, unknown>
  crowd: boolean
  public: boolean
  chat: boolean
  clock: number
  games: number
  number: number
  playing: boolean
  seated: number
  seats: Record<string, SeatInfo>
  host: boolean
  next_starter: number
  series: Standing | null
  commitment: string | null
  words: Record<string, string>
  deadline: number | null
  now: number
}

export type Update = {
  type: "update"
  version: number
  reset: boolean
  events: Array<Happened>
  table: Table
  views: Array<Record<string, unknown>>
  legal: Record<string, Array<string>>
}

export type Words = {
  id: string
  type: "words"
  seat: number
  words: string
}

export type WriteDaily = {
  name: string
  date: string
  round: number
  cell: string
}
