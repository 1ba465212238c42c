import { checkOptionNames } from '@latchkey/core/internal'

/**
 * The colors, corners and fonts of pages. A color is `#rgb` or `#rrggbb`, or a pair for light and dark. Colors whose
 * contrast is below 4.5 are rejected (WCAG 2.2 §1.4.3).
 */
export interface PageTheme {
  /** The color of buttons and links. Text on buttons is black or white. */
  readonly accent?: string | { readonly light: string; readonly dark: string }
  /** Around the box with the text. */
  readonly background?: string | { readonly light: string; readonly dark: string }
  /** The color of the box with the text. */
  readonly surface?: string | { readonly light: string; readonly dark: string }
  readonly text?: string | { readonly light: string; readonly dark: string }
  /** The radius of corners in pixels, 0 to 32. @default 12 */
  readonly cornerRadius?: number
  /** Names of installed fonts, in order of preference. No font is downloaded. @default the font of the system */
  readonly fonts?: readonly string[]
}

/** The declarations of a theme. They are safe in a style sheet, because they consist of checked numbers and names. */
export type ThemeStyle = string

const defaults = {
  accent: { light: '#1d4ed8', dark: '#93b4ff' },
  background: { light: '#f6f7f9', dark: '#14171c' },
  surface: { light: '#ffffff', dark: '#1e2229' },
  text: { light: '#1b1f24', dark: '#e8eaed' },
} as const

type ColorName = keyof typeof defaults
type Colors = Readonly<Record<ColorName, readonly [light: Color, dark: Color]>>
type Color = readonly [red: number, green: number, blue: number]

/** @throws TypeError that names an invalid colour, number or font, or colours without enough contrast. */
export function readTheme(theme: PageTheme = {}): ThemeStyle {
  checkOptionNames(
    'createServer',
    theme,
    {
      accent: true,
      background: true,
      surface: true,
      text: true,
      cornerRadius: true,
      fonts: true,
    },
    'pages.theme',
  )
  const names = Object.keys(defaults) as ColorName[]
  const colors = Object.fromEntries(names.map((name) => [name, readPair(name, theme[name] ?? defaults[name])]))
  checkContrasts(colors as Colors)
  const declarations = names.map((name) => `--${name}: ${toCss((colors as Colors)[name])};`)
  const [light, dark] = (colors as Colors).accent
  return [
    ...declarations,
    `--on-accent: ${toCss([inkOn(light), inkOn(dark)])};`,
    `--radius: ${readRadius(theme.cornerRadius)}px;`,
    `--fonts: ${readFonts(theme.fonts)};`,
  ].join(' ')
}

const readOn = [
  ['text', 'background'],
  ['text', 'surface'],
  ['accent', 'background'],
  ['accent', 'surface'],
] as const

function checkContrasts(colors: Colors): void {
  for (const [front, back] of readOn) {
    for (const [index, scheme] of (['light', 'dark'] as const).entries()) {
      const [above, below] = [colors[front][index], colors[back][index]]
      if (!above || !below || contrast(above, below) >= 4.5) continue
      throw new TypeError(
        `"pages.theme": "${front}" cannot be read on "${back}" in the ${scheme} scheme: 4.5 is needed`,
      )
    }
  }
}

function readPair(name: ColorName, color: Required<PageTheme>[ColorName]): readonly [Color, Color] {
  if (typeof color === 'object' && color !== null) {
    checkOptionNames('createServer', color, { light: true, dark: true }, `pages.theme.${name}`)
    return [readColor(name, color.light), readColor(name, color.dark)]
  }
  const one = readColor(name, color)
  return [one, one]
}

function readColor(name: ColorName, text: unknown): Color {
  const digits = typeof text === 'string' ? /^#([\da-f]{3}|[\da-f]{6})$/i.exec(text)?.[1] : undefined
  if (digits === undefined) throw new TypeError(`"pages.theme.${name}" must be #rgb or #rrggbb, or { light, dark }`)
  const width = digits.length / 3
  const at = (index: number): number => {
    const part = digits.slice(index * width, (index + 1) * width)
    return Number.parseInt(width === 1 ? part + part : part, 16)
  }
  return [at(0), at(1), at(2)]
}

function readRadius(radius = 12): number {
  if (Number.isInteger(radius) && radius >= 0 && radius <= 32) return radius
  throw new TypeError('"pages.theme.cornerRadius" must be a whole number of pixels from 0 to 32')
}

function readFonts(fonts: readonly string[] = []): string {
  if (!Array.isArray(fonts) || fonts.length > 10 || !fonts.every(isFont)) {
    throw new TypeError('"pages.theme.fonts" must be at most 10 names of letters, digits, spaces and hyphens')
  }
  return [...fonts.map((font) => `"${font}"`), 'system-ui', 'sans-serif'].join(', ')
}

function isFont(font: unknown): boolean {
  return typeof font === 'string' && /^[\p{L}\d][\p{L}\d -]{0,63}$/u.test(font)
}

function toCss([light, dark]: readonly [Color, Color]): string {
  const hex = (color: Color) => `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`
  return `light-dark(${hex(light)}, ${hex(dark)})`
}

/** Returns black or white, whichever has the higher contrast. It is at least 4.5 on every colour. */
function inkOn(color: Color): Color {
  const [black, white]: readonly [Color, Color] = [
    [0, 0, 0],
    [255, 255, 255],
  ]
  return contrast(white, color) >= 4.5 ? white : black
}

/** WCAG 2.2, contrast ratio. */
function contrast(one: Color, other: Color): number {
  const [lighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

/** WCAG 2.2, relative luminance. */
function luminance(color: Color): number {
  const [red, green, blue] = color.map((part) => {
    const value = part / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
