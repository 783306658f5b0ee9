/** Small movements of a piece in the hand. */
import { moving } from "$page/settings.svelte"

interface Spot {
  x: number
  y: number
}

/** Turns or flips around a spot, given in squares from the top left; `unit` is the side of a square. */
export function swing(piece: Element | null | undefined, from: string, { x, y }: Spot, unit: number): void {
  if (!moving() || !(piece instanceof HTMLElement || piece instanceof SVGElement)) return
  const around = (transform: string) => ({
    transform: `translate(${x * unit}px, ${y * unit}px) ${transform} translate(${-x * unit}px, ${-y * unit}px)`,
  })
  piece.style.transformOrigin = "0 0"
  piece.animate([around(from), around("rotate(0)")], {
    duration: 120,
    easing: "ease-out",
  })
}

/** It does not fit. */
export function shake(piece: Element | null): void {
  if (moving())
    piece?.animate(
      [-3, 3, -2, 2, 0].map((x) => ({ transform: `translateX(${x}px)` })),
      { duration: 240 },
    )
}
