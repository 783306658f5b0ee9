/** The board as a picture to keep: the drawing with its colours written into it, painted in the browser. */
import { PILLAR } from "./box"
import { stone } from "./stone"

const LOOKS = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-linecap",
  "stroke-linejoin",
  "stroke-dasharray",
  "opacity",
  "stop-color",
  "stop-opacity",
  "display",
]
const SVG = "http://www.w3.org/2000/svg"
const SIZE = 1600

export interface Line {
  seat: number
  text: string
}

/** Offers the board as a PNG file, with a line for each seat under it. */
export async function savePicture(board: SVGSVGElement, title: string, lines: Line[], file: string): Promise<void> {
  const { width, height } = board.viewBox.baseVal
  const unit = width / 20
  const paper = node("svg", {
    viewBox: `0 0 ${width + 2 * unit} ${height + (4.2 + lines.length * 1.4) * unit}`,
  })
  const style = getComputedStyle(document.documentElement)
  const [ground, ink] = [style.getPropertyValue("--linen").trim(), style.getPropertyValue("--ink").trim()]
  const [, , wide, high] = paper.getAttribute("viewBox")!.split(" ").map(Number) as [number, number, number, number]
  paper.setAttribute("width", String(SIZE))
  paper.setAttribute("height", String(Math.round((SIZE * high) / wide)))
  paper.append(node("rect", { width: wide, height: high, fill: ground }))

  const drawing = coloured(board)
  for (const [key, value] of Object.entries({
    x: unit,
    y: unit,
    width,
    height,
  }))
    drawing.setAttribute(key, String(value))
  paper.append(drawing)

  const font = "Fraunces, Georgia, serif"
  const heading = node("text", {
    x: unit,
    y: height + 2.4 * unit,
    fill: ink,
    "font-size": unit * 1.1,
    "font-family": font,
  })
  heading.textContent = title
  paper.append(heading)
  lines.forEach(({ seat, text }, index) => {
    const y = height + (3.1 + index * 1.4) * unit
    const colour = style.getPropertyValue(`--seat-${seat % 4}`).trim()
    const lines = stone(PILLAR, 0)
    const chip = node("svg", {
      x: unit,
      y,
      width: unit,
      height: unit,
      viewBox: "1 1 30 30",
    })
    chip.append(
      node("path", { d: lines.body, fill: colour }),
      node("path", {
        d: lines.marks[seat % 4]!,
        stroke: "#000",
        "stroke-opacity": 0.5,
        "stroke-width": 3,
        "stroke-linecap": "round",
      }),
    )
    const words = node("text", {
      x: unit * 2.4,
      y: y + unit * 0.8,
      fill: ink,
      "font-size": unit * 0.85,
      "font-family": "Inter, system-ui, sans-serif",
    })
    words.textContent = text
    paper.append(chip, words)
  })
  download(await painted(new XMLSerializer().serializeToString(paper)), file)
}

function node(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value))
  return made
}

/** A copy that needs no style sheet. */
function coloured(board: SVGSVGElement): SVGSVGElement {
  const copy = board.cloneNode(true) as SVGSVGElement
  const from = [board, ...board.querySelectorAll("*")]
  const to = [copy, ...copy.querySelectorAll("*")]
  from.forEach((element, index) => {
    const style = getComputedStyle(element)
    for (const look of LOOKS) to[index]!.setAttribute(look, style.getPropertyValue(look))
  })
  for (const settling of copy.querySelectorAll(".fresh")) settling.removeAttribute("opacity")
  for (const passing of copy.querySelectorAll(".last, .glow, .focus, .open, .hint, .ghost, .name")) passing.remove()
  return copy
}

async function painted(svg: string): Promise<Blob> {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await image.decode()
  const canvas = document.createElement("canvas")
  ;[canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight]
  canvas.getContext("2d")!.drawImage(image, 0, 0)
  return new Promise((done, failed) =>
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("no picture"))), "image/png"),
  )
}

function download(blob: Blob, name: string): void {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
