/** The rules of each game in each language, a chunk apiece; the build turns their Markdown into HTML. */
import { trusted } from "../trusted"
import type { GameId } from "../games/contract"
import { rulesPath } from "../net/api"
import type { Language } from "../net/types"

const PAGES = import.meta.glob<string>("$games/*/rules/*.md", { import: "default" })

export interface Heading {
  id: string
  text: string
}

export interface RulesPage {
  html: string
  headings: Heading[]
}

/** Rule numbers stand in brackets at the end of a paragraph: (C7). */
const NUMBER = /\s*\(([A-Z]\d+)\)/g
/** Sums, and the five numbers of a line: 4 + 5 = 9, 4 9 4 4 9. They stay on one line; longer rows of numbers may break. */
const FIGURES = /\d+(?: [-−+×=] \d+)+|(?<!\d ?)\d+(?: \d+){4}(?! ?\d)/g

/** Loads a game's rules: headings and rule numbers can be linked to, tables may be wider than a phone. */
export async function rulesOf(game: GameId, language: Language, table: string): Promise<RulesPage> {
  const ending = `/${game.replaceAll("-", "_")}/rules/${language}.md`
  const own = Object.entries(PAGES).find(([path]) => path.endsWith(ending))?.[1]
  const headings: Heading[] = []
  const html = (await (own ? own() : fetched(game)))
    .replace(/<h2>(.*?)<\/h2>/g, (_, text: string) => {
      const id = `part-${headings.length + 1}`
      headings.push({ id, text: plain(text) })
      return `<h2 id="${id}" tabindex="-1">${text}</h2>`
    })
    .replace(/<table>/g, `<div class="wide" role="region" tabindex="0" aria-label="${table}"><table>`)
    .replace(/<\/table>/g, "</table></div>")
    .replace(FIGURES, (figures) => figures.replaceAll(" ", "\u00a0"))
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

/** The rules of a game that is not built in: Markdown from the server, without any HTML of its own. */
async function fetched(game: GameId): Promise<string> {
  const [{ Marked }, answer] = await Promise.all([import("marked"), fetch(rulesPath(game))])
  if (!answer.ok) throw new Error("no rules")
  const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
  return new Marked({ renderer: { html: ({ text }) => escape(text) } }).parse(await answer.text(), { async: false })
}

function plain(html: string): string {
  return new DOMParser().parseFromString(trusted.createHTML(html), "text/html").body.textContent
}
