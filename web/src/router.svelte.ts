/** Which screen is shown: the address bar decides. */

let path = $state(location.pathname)
let query = $state.raw(new URLSearchParams(location.search))

export const here = {
  get path() {
    return path
  },
  get query() {
    return query
  },
}

function look(): void {
  path = location.pathname
  query = new URLSearchParams(location.search)
}

addEventListener("popstate", look)

/** A room as it is called: the code of a crowd may have been typed in small letters. */
export const roomNamed = (typed: string): string => (/^[a-z]{6}$/.test(typed) ? typed.toUpperCase() : typed)

/** Goes to another screen of the page. */
export function go(to: string, replace = false): void {
  history[replace ? "replaceState" : "pushState"](null, "", to)
  look()
  scrollTo(0, 0)
}

/** Links within the page change the screen without loading it anew. */
export function follow(event: MouseEvent): void {
  const link = (event.target as Element | null)?.closest("a")
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
  if (
    link.origin !== location.origin ||
    link.target ||
    link.hasAttribute("download") ||
    link.pathname.startsWith("/api/")
  )
    return
  event.preventDefault()
  go(link.pathname + link.search + link.hash)
}
