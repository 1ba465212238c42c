import { generate } from 'lean-qr'

/** ISO/IEC 18004: four modules of white around the code. */
const quietZone = 4

/** CSS pixels of a module, unless the page says another size. */
const modulePixels = 5

/**
 * Returns a QR code as an `<svg>` without scripts, styles and ids. Its background is part of the picture: scanners need
 * dark on light, also on a dark page.
 */
export function drawQrCode(text: string, title: string): string {
  const bitmap = generate(text)
  const size = bitmap.size + 2 * quietZone
  const path = Array.from({ length: bitmap.size }, (_, y) => drawRow((x) => bitmap.get(x, y), bitmap.size, y)).join('')
  const pixels = size * modulePixels
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}" viewBox="0 0 ${size} ${size}" role="img" shape-rendering="crispEdges">` +
    `<title>${escapeText(title)}</title><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${path}"/></svg>`
  )
}

/** One rectangle for each run of dark modules. */
function drawRow(isDark: (x: number) => boolean, size: number, y: number): string {
  let path = ''
  for (let x = 0; x < size; x++) {
    const start = x
    while (isDark(x)) x++
    if (x > start) path += `M${start + quietZone} ${y + quietZone}h${x - start}v1h${start - x}z`
  }
  return path
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
