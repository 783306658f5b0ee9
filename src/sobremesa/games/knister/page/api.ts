/** HTTP of Daily Knister. */
import { request } from "$page/net/api"
import type * as s from "$page/net/types"

export const daily = {
  status: (date?: string) => request<s.DailyStatus>("GET", date ? `/api/daily?date=${date}` : "/api/daily"),
  archive: (before: string | null) =>
    request<s.DailyArchive>("GET", before ? `/api/daily/archive?before=${before}` : "/api/daily/archive"),
  write: (write: s.WriteDaily) => request<s.DailyStatus>("POST", "/api/daily", write),
  ranking: (date: string) => request<s.DailyRanking>("GET", `/api/daily/${date}/ranking`),
  review: (date: string) => request<s.DailyReview>("GET", `/api/daily/${date}/review`),
  proof: (date: string) => request<s.DailyProof>("GET", `/api/daily/${date}/proof`),
}
