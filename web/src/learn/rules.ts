/** The rules of each game in each language, a chunk apiece; the build turns their Markdown into HTML. */
import { trusted } from "../trusted"
import type { GameId } from "../games/contract"
import type { Language } from "../net/types"

const PAGES = import.meta.glob<string>("$rules/*/rules/*.md", { import: "default" })

export interface Heading {
  id: string
  text: string
}

export interface RulesPage {
  html: string
  headings: Heading[]
}

/** Rule numbers stand in brackets at the end of a paragraph: (C7). */
const NUMBER = /\s*\(([CIK]\d+)\)/g

/** Loads a game's rules: headings and rule numbers can be linked to, tables may be wider than a phone. */
export async function rulesOf(game: GameId, language: Language, table: string): Promise<RulesPage> {
  const ending = `/${game.replace("-", "_")}/rules/${language}.md`
  const load = Object.entries(PAGES).find(([path]) => path.endsWith(ending))![1]
  const headings: Heading[] = []
  const html = (await load())
    .replace(/<h2>(.*?)<\/h2>/g, (_, text: string) => {
      const id = `part-${headings.length + 1}`
      headings.push({ id, text: plain(text) })
      return `<h2 id="${id}" tabindex="-1">${text}</h2>`
    })
    .replace(/<table>/g, `<div class="wide" role="region" tabindex="0" aria-label="${table}"><table>`)
    .replace(/<\/table>/g, "</table></div>")
  const seen = new Set<string>()
  return {
    headings,
    html: html.replace(NUMBER, (_, rule: string) => {
      const id = seen.has(rule) ? "" : ` id="${rule}"`
      seen.add(rule)
      return ` <span class="rule"${id}>${rule}</span>`
    }),
  }
}

function plain(html: string): string {
  return new DOMParser().parseFromString(trusted.createHTML(html), "text/html").body.textContent
}
