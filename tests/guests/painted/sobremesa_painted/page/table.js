// As a compiler would leave it: a component is a function of where it stands and what it is given.
import { legend } from "./legend.js"

function Table(anchor, props) {
  const note = document.createElement("p")
  note.className = "painted"
  note.textContent = `${legend}: ${props.legal.join(" ")}`
  const first = document.createElement("button")
  first.textContent = "the first one"
  first.addEventListener("click", () => props.play(props.legal[0]))
  anchor.before(note, first)
}

export const page = { Table, tell: (move) => move, news: () => "", scores: () => null }
