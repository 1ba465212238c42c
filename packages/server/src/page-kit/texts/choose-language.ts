/**
 * Returns which of the languages a browser prefers: the one with the highest weight in `Accept-Language`, by its tag or the
 * beginning of one (RFC 4647 §3.4, RFC 9110 §12.5.4), otherwise the first.
 */
export function chooseLanguage(header: string | null, languages: readonly [string, ...string[]]): string {
  if (languages.length === 1 || header === null) return languages[0]
  for (const range of rangesOf(header)) {
    const found = languages.find((tag) => isWithin(range, tag))
    if (found !== undefined) return found
  }
  return languages[0]
}

/**
 * Returns the locale for dates: the first variant of the language that a browser prefers, in the same script, otherwise
 * the language itself. A reader of `de` gets English dates on an English page.
 */
export function chooseLocale(header: string | null, language: string): string {
  const written = writtenAs(language)
  if (header === null || written === null) return language
  const variant = rangesOf(header).find((range) => writtenAs(range) === written) ?? language
  return language.toLowerCase().startsWith(`${variant}-`) ? language : variant
}

/**
 * Returns a language and its script: `zh-Hant` for `zh-TW`. `null` for a tag with extensions, for example for another
 * calendar.
 */
function writtenAs(tag: string): string | null {
  if (!/^[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?$/i.test(tag)) return null
  const { language, script } = new Intl.Locale(tag).maximize()
  return `${language}-${script}`
}

/** No browser sends more. */
const mostRanges = 32

function rangesOf(header: string): readonly string[] {
  return header
    .slice(0, 1024)
    .split(',', mostRanges)
    .map((part) => {
      const [range = '', weight = ''] = part.split(';')
      const quality = /^\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/i.exec(weight)?.[1]
      return { range: range.trim().toLowerCase(), quality: weight === '' ? 1 : Number(quality ?? 0) }
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ range }) => range)
}

/** `de-AT` is served by `de`, and `de` by `de-AT`. */
function isWithin(range: string, tag: string): boolean {
  const served = tag.toLowerCase()
  return range === served || range.startsWith(`${served}-`) || served.startsWith(`${range}-`)
}
