// Made by `sobremesa schema` from the server's messages. Do not edit.

export type Accepted = {
  type: "accepted"
  id: string
  version: number
}

export type AddEntropy = {
  id: string
  type: "entropy"
  seat: number
  words: string
}

export type After = {
  svg: string
  points: Array<number> | null
}

export type AnswerOffer = {
  id: string
  type: "answer"
  yes: boolean
}

export type AskAnalysis = {
  position: string
  seat?: number | null
  past?: Array<string> | null
}

export type AskHint = {
  id: string
  type: "hint"
  seat: number
}

export type AskPosition = {
  game: string
  position?: string | null
  options?: Record<string, number | string | boolean>
  seat?: number | null
  move?: string | null
  outcome?: string | null
}

export type BegunLine = {
  version: number
  at: number
  kind: "begun"
  game: number
  starter: number
}

export type Boxes = {
  callisto: CallistoBox
  "isis-osiris": IsisOsirisBox
  knister: KnisterBox
}

export type CallistoBoard = {
  width: number
  height: number
  rows: Array<number>
  centre: Array<string>
}

export type CallistoBox = {
  shapes: Record<string, CallistoShape>
  editions: Record<string, CallistoEdition>
}

export type CallistoEdition = {
  tiles: Record<string, number>
  boards: Record<string, CallistoBoard>
  pillars: Array<CallistoPillar>
}

export type CallistoOptions = {
  edition: string
  seats: number
  starter: number
}

export type CallistoOrientation = {
  letter: string
  offsets: Array<Array<number>>
  corners: Array<Array<number>>
  turned: number
  flipped: number
}

export type CallistoPiece = {
  move: string
  piece: string
  orientation: number
  cell: string
}

export type CallistoPillar = {
  rule: string
  on: string
  beside_tiles: boolean
  apart: boolean
}

export type CallistoShape = {
  squares: number
  orientations: Array<CallistoOrientation>
}

export type CallistoSide = {
  placed: Array<CallistoPiece>
  tiles: Record<string, number>
  pillars: number
  penalty: number
  out: boolean
}

export type CallistoView = {
  game: "callisto"
  seat: number | null
  options: CallistoOptions
  deciding: Array<number>
  sides: Array<CallistoSide>
  scores: Array<number> | null
  places: Array<number> | null
}

export type Check = {
  id: string
  type: "check"
  seat: number
  move: string
}

export type Checked = {
  type: "checked"
  id: string
  legal: boolean
  text: string | null
  rule: string | null
  after: After | null
}

export type ChoiceInfo = {
  value: number | string | boolean
  label: string
}

export type ClaimDevice = {
  code: string
}

export type ClientMessage = Join | Ping | Sit | Leave | PutEngine | AddEntropy | Seal | Open | Start | Ready | Move | Say | Phrase | Manage | Offer | AnswerOffer | Resign | CloseRound | Pause | Check | AskHint | Hurry | Find

export type CloseRound = {
  id: string
  type: "close"
}

export type ComputerPlayer = {
  id: string
  level: number
  name: string
}

export type CreateRoom = {
  game: string
  options?: Record<string, number | string | boolean>
  seats: Array<SeatPlan>
  crowd?: boolean
  name?: string
  words?: string
  seals?: boolean
  games?: number
  clock?: number
  public?: boolean
  chat?: boolean
  hints?: boolean
  rated?: boolean | null
  wait?: boolean
  origin?: Origin | null
  language?: "en" | "es" | "fr" | "nl"
  id?: string | null
}

export type Created = {
  room: string
  version: number
  path: string
}

export type DailyArchive = {
  days: Array<DailyDay>
  earlier: string | null
}

export type DailyDay = {
  date: string
  best: number | null
  finished: number
  round: number
  points: number | null
  league: "ranked" | "fun" | "late" | null
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
  finished_for_fun: number
  for_fun: Array<DailyRow>
}

export type DailyReview = {
  date: string
  engine: string
  rounds: Array<DailyRound>
  points: number
  engine_points: number
  finished: boolean
  commitment: string
  secret: string
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
  tomorrow: string | null
  round: number
  roll: number | null
  sheet: Array<number>
  points: number
  finished: boolean
  name: string | null
  league: "ranked" | "fun" | "late"
  streak: number
  longest_streak: number
  longest_name: number
}

export type Device = {
  path: string
  qr: string
  seconds: number
}

export type Drawing = {
  stage: "sealing" | "opening"
  waiting: Array<number>
  left: number
  deadline: number
}

export type EndedLine = {
  version: number
  at: number
  kind: "ended"
  game: number
}

export type EngineFailedLine = {
  version: number
  at: number
  kind: "engine_failed"
  seat: number
  player: string
}

export type EngineLine = {
  version: number
  at: number
  kind: "engine"
  seat: number
  player: string
}

export type Find = {
  id: string
  type: "find"
  name?: string
}

export type ForfeitedLine = {
  version: number
  at: number
  kind: "forfeited"
  seat: number
  name: string
  why: "left" | "time"
}

export type Found = {
  type: "found"
  id: string
  count: number
  seats: Array<FoundSeat>
}

export type FoundSeat = {
  kind: "person" | "engine" | "open" | "gone"
  name: string
  yours: boolean
  here: boolean
  seat: number
}

export type GameEnd = {
  how: "resigned" | "stopped" | "left"
  seat: number | null
}

export type GameInfo = {
  id: string
  name: string
  designer: string
  credit: string
  aim: string
  minutes: number
  age: number
  version: number
  rule_prefix: string
  seats: SeatsInfo
  options: Array<OptionInfo>
  players: Array<ComputerPlayer>
  phrases: Array<string>
  low_wins: boolean
  series_rule: string | null
  has_chance: boolean
  crowd: boolean
  urns: Array<UrnInfo>
  outcomes: Record<string, string>
  page: string | null
}

export type GameResult = {
  scores: Record<string, number>
  places: Record<string, number>
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
  reason: "slow" | "changed" | "restart" | "unknown"
  retry_after: number
}

export type HintLine = {
  version: number
  at: number
  kind: "hint"
  seat: number
}

export type Hinted = {
  type: "hinted"
  id: string
  seat: number
  version: number
  measure: "chance" | "points"
  moves: Array<Suggestion>
  chances: Array<number>
  exact: boolean
  player: string
}

export type Hurry = {
  id: string
  type: "hurry"
}

export type IsisOsirisBox = {
  editions: Record<string, IsisOsirisEdition>
  track: IsisOsirisTrack
  eye: string
}

export type IsisOsirisEdition = {
  width: number
  height: number
  cells: Array<string>
  neighbours: Array<Array<number>>
  tiles: Array<IsisOsirisTile>
  hands: Record<string, IsisOsirisHand>
}

export type IsisOsirisHand = {
  stones: number
  tiles: number
  put_away: number
}

export type IsisOsirisOptions = {
  edition: string
  seats: number
  variant: string
  memory_aid: boolean
  starter: number
}

export type IsisOsirisTile = {
  value: number
  count: number
}

export type IsisOsirisTrack = {
  least: number
  most: number
}

export type IsisOsirisView = {
  game: "isis-osiris"
  seat: number | null
  options: IsisOsirisOptions
  deciding: Array<number>
  turn: number | null
  turning: boolean
  turned: number | null
  cells: Array<string>
  stones_left: Array<number>
  tiles_left: Array<number>
  scores: Array<number> | null
  places: Array<number> | null
}

export type Join = {
  type: "join"
  language?: "en" | "es" | "fr" | "nl"
  version?: number | null
}

export type KnisterBox = {
  side: number
  cells: Array<string>
  lines: Array<KnisterLine>
  combinations: Array<KnisterCombination>
  ranks: Array<KnisterRank>
  rolls: Array<KnisterRoll>
}

export type KnisterCombination = {
  name: string
  points: number
}

export type KnisterLine = {
  name: string
  cells: Array<number>
  times: number
}

export type KnisterOptions = {
  seats: number
  starter: number
}

export type KnisterRank = {
  least: number
  word: string
}

export type KnisterRoll = {
  roll: number
  ways: number
  probability: number
}

export type KnisterStanding = {
  seat: number
  place: number
  points: number
  sheet: Array<number>
  lines: Array<number | null>
  wrote: boolean
}

export type KnisterView = {
  game: "knister"
  seat: number | null
  options: KnisterOptions
  deciding: Array<number>
  rounds: number
  roller: number
  roll: number | null
  waiting: number
  sheet: Array<number> | null
  lines: Array<number | null> | null
  standings: Array<KnisterStanding>
  over: boolean
}

export type LastMove = {
  seat: number
  move: string
  forced: boolean
}

export type LeaderRow = {
  place: number
  name: string
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
  name?: string | null
}

export type LeftLine = {
  version: number
  at: number
  kind: "left"
  seat: number
  name: string
}

export type LevelMatch = {
  game: string
  player: string
  games: number
  last: number
  won: number
}

export type LevelStatistics = {
  game: string
  player: string
  games: number
  ahead: number
}

export type LobbyRoom = {
  id: string
  game: string
  options: Record<string, number | string | boolean>
  public: boolean
  playing: boolean
  over: boolean
  number: number
  games: number
  rated: boolean
  seats_taken: number
  seats_open: number
  names: Array<string>
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
  rooms: Array<MyRoom>
}

export type MissedMove = {
  seat: number
  move: string
  name: string
}

export type MissedMoves = {
  count: number
  first: Array<MissedMove>
  rule: string | null
}

export type Moment = {
  room: string
  number: number
  step: number
}

export type Move = {
  id: string
  type: "move"
  seat: number
  version: number
  move: string
}

export type MyRoom = {
  id: string
  game: string
  options: Record<string, number | string | boolean>
  public: boolean
  playing: boolean
  over: boolean
  number: number
  games: number
  rated: boolean
  seats_taken: number
  seats_open: number
  names: Array<string>
  changed_at: number
  your_turn: boolean
  deadline: number | null
  yours: boolean
  others: boolean
}

export type NewName = {
  name: string
}

export type Offer = {
  id: string
  type: "offer"
  what: "takeback" | "stop"
}

export type Open = {
  id: string
  type: "open"
  seat: number
  call: string
  nonce: string
  words?: string
}

export type OpenOffer = {
  what: "again" | "takeback" | "stop"
  seat: number
  agreed: Array<number>
}

export type Opening = {
  nonce: string
  words: string | WordsDigest
}

export type OptionInfo = {
  name: string
  label: string
  default: number | string | boolean
  choices: Array<ChoiceInfo>
  least: number
  most: number | null
}

export type Origin = {
  position: string
  moment?: Moment | null
}

export type OriginInfo = {
  moment: Moment | null
}

export type Pause = {
  id: string
  type: "pause"
  on: boolean
}

export type PersonStatistics = {
  name: string
  games: Array<GameStatistics>
  levels: Array<LevelStatistics>
  last: Array<Played>
}

export type Phrase = {
  id: string
  type: "phrase"
  phrase: string
}

export type PhraseLine = {
  version: number
  at: number
  kind: "phrase"
  seat: number | null
  name: string
  phrase: string
}

export type Ping = {
  type: "ping"
  hidden?: boolean
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

export type Point = {
  event: number
  chances: Array<number>
  points: Array<number>
}

export type Pong = {
  type: "pong"
  now: number
  version: number | null
}

export type Position = {
  position: string
  steps: Array<Step>
  legal: Record<string, Array<string>>
  over: boolean
  result: GameResult | null
}

export type PositionAnalysis = {
  game: string
  seat: number
  player: string
  measure: "chance" | "points"
  moves: Array<Suggestion>
  chances: Array<number>
  exact: boolean
  assumed: "memory" | null
}

export type Promise = {
  game: number
  commitment: string
  words: Record<string, string | WordsDigest>
  secret: string | null
  context: string | null
  seals: Record<string, string>
  call: string | null
  openings: Record<string, Opening>
}

export type PushAddress = {
  endpoint: string
}

export type PushDevice = {
  endpoint: string
  p256dh: string
  auth: string
  language: "en" | "es" | "fr" | "nl"
}

export type PushKey = {
  key: string
}

export type PushTried = {
  outcome: "sent" | "gone" | "later" | "refused"
}

export type PutEngine = {
  id: string
  type: "engine"
  seat: number
  player: string
}

export type Ready = {
  id: string
  type: "ready"
}

export type ReadyCheck = {
  deadline: number
  seats: Array<number>
}

export type Reason = "illegal" | "stale" | "forbidden" | "malformed" | "early" | "late" | "taken" | "rated" | "full" | "unknown" | "busy" | "broken"

export type Refused = {
  type: "refused"
  id: string | null
  reason: Reason
  text: string
  rule: string | null
  version: number | null
  retry_after: number | null
}

export type RenewToken = {
  everywhere?: boolean
}

export type Replay = {
  game: string
  options: Record<string, number | string | boolean>
  forgetful: boolean
  names: Array<string>
  starter: number
  steps: Array<Step>
  result: Standing | null
  promise: Promise | null
}

export type Resign = {
  id: string
  type: "resign"
  seat: number
  player?: string | null
}

export type Review = {
  type: "review"
  room: string
  number: number
  game: string
  player: string
  measure: "chance" | "points"
  seats: Array<number>
  moves: Array<ReviewedMove>
  curve: Array<Point>
  lost: Record<string, number>
}

export type ReviewProgress = {
  type: "progress"
  done: number
  of: number
}

export type ReviewedMove = {
  event: number
  seat: number
  move: string
  value: number
  lost: number
  points_lost: number | null
  best: Array<Suggestion>
  exact: boolean
}

export type RoomState = {
  id: string
  game: string
  language: "en" | "es" | "fr" | "nl"
  options: Record<string, number | string | boolean>
  crowd: boolean
  public: boolean
  chat: boolean
  hints: boolean
  rated: boolean
  lost: Array<number>
  helped: Record<string, number>
  ready: ReadyCheck | null
  clock: number
  games: number
  origin: OriginInfo | null
  number: number
  playing: boolean
  paused: boolean
  over: boolean
  result: GameResult | null
  seats_total: number
  seats_taken: number
  seats_here: number
  seats: Record<string, SeatInfo>
  host: boolean
  host_name: string
  last_moves: Array<LastMove>
  missed: MissedMoves | null
  offer: OpenOffer | null
  may: Array<"takeback" | "stop" | "resign">
  end: GameEnd | null
  next_starter: number
  series: Standing | null
  uneven: boolean
  promises: Array<Promise>
  drawing: Drawing | null
  deadline: number | null
  now: number
}

export type SaidLine = {
  version: number
  at: number
  kind: "said"
  seat: number | null
  name: string
  text: string
}

export type Say = {
  id: string
  type: "say"
  text: string
}

export type Seal = {
  id: string
  type: "seal"
  seat: number
  promise: string
  seal: string
}

export type SeatInfo = {
  kind: "person" | "engine" | "open" | "gone"
  name: string
  yours: boolean
  here: boolean
}

export type SeatPlan = {
  kind: "me" | "open" | "engine"
  player?: string | null
  name?: string | null
}

export type SeatedLine = {
  version: number
  at: number
  kind: "seated"
  seat: number
  name: string
}

export type SeatsInfo = {
  least: number
  most: number | null
  choices: Array<number>
}

export type ServerMessage = Update | Accepted | Checked | Hinted | Found | Refused | Pong | Goodbye

export type Sit = {
  id: string
  type: "sit"
  name: string
  seat?: number | null
  words?: string
  seals?: boolean
}

export type Skill = {
  rating: number
  deviation: number
  provisional: boolean
  games: number
  settled: number
  opponents: number
}

export type Standing = {
  scores: Array<number>
  places: Array<number>
}

export type Start = {
  id: string
  type: "start"
}

export type Step = {
  version: number
  seat: number | null
  move: string | null
  rolled: string | null
  draw: number | null
  back: number | null
  views: Array<CallistoView | IsisOsirisView | KnisterView>
  position: string | null
}

export type Suggestion = {
  move: string
  value: number
  visits: number
}

export type Update = {
  type: "update"
  version: number
  reset: boolean
  room: RoomState
  steps: Array<Step>
  talk: Array<SaidLine | PhraseLine | SeatedLine | LeftLine | ForfeitedLine | HintLine | EngineLine | EngineFailedLine | BegunLine | EndedLine | VoidedLine>
  legal: Record<string, Array<string>>
}

export type UrnInfo = {
  options: Record<string, number | string | boolean>
  weights: Array<[number, number]>
  replaced: boolean
  after: string
}

export type View = CallistoView | IsisOsirisView | KnisterView

export type VoidedLine = {
  version: number
  at: number
  kind: "voided"
  seats: Array<number>
}

export type WordsDigest = {
  sha256: string
}

export type WriteDaily = {
  name: string
  date: string
  round: number
  cell: string
  late?: boolean
}
