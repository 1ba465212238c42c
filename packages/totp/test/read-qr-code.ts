import jsqr from 'jsqr'

/** Pixels of a module's side: as large as a phone's camera sees one. */
const scale = 4

interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly colour: number
}

/** Paints an `<svg>` of rectangles, in the order in which they stand in it, over a page of that brightness. */
export function paintSvg(svg: string, page: number) {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]) * scale
  const pixels = new Uint8ClampedArray(size * size * 4).fill(255)
  const fill = ({ x, y, width, height, colour }: Rectangle) => {
    for (let row = y * scale; row < (y + height) * scale; row++) {
      for (let column = x * scale; column < (x + width) * scale; column++) {
        pixels.fill(colour, (row * size + column) * 4, (row * size + column) * 4 + 3)
      }
    }
  }
  fill({ x: 0, y: 0, width: size / scale, height: size / scale, colour: page })
  for (const [, colour, path] of svg.matchAll(/<path fill="#(fff|000)" d="([^"]+)"\/>/g)) {
    for (const rectangle of rectanglesOf(path ?? '')) fill({ ...rectangle, colour: colour === 'fff' ? 255 : 0 })
  }
  return { pixels, size }
}

function rectanglesOf(path: string): Omit<Rectangle, 'colour'>[] {
  return [...path.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)(?:h-(\d+)|H0)z/g)].map(([, x, y, width, height]) => ({
    x: Number(x),
    y: Number(y),
    width: Number(width),
    height: Number(height),
  }))
}

/** What a camera reads from the picture on a page of that brightness, by a library of others. */
export function readQrCode(svg: string, page = 255): string | null {
  const { pixels, size } = paintSvg(svg, page)
  return jsqr.default(pixels, size, size, { inversionAttempts: 'dontInvert' })?.data ?? null
}
