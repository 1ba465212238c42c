import type { Answer } from './visitor.ts'

/** The shortest text that could be a credential: none of the service has fewer characters. */
const fewest = 16

/** Returns every text of an answer: of its body, of its headers, and of the cookies that it sets. */
export function textsOf({ text, headers }: Answer): readonly string[] {
  const isPage = (headers.get('content-type') ?? '').startsWith('text/html')
  const inHeaders = [...headers.values()].flatMap((value) => [
    value,
    ...value.split(/[=;,\s]+/),
    ...value.split(/[=;,!\s]+/),
  ])
  const inBody = isPage ? textsOfPage(text) : textsOfJson(text)
  return [...inBody, ...inHeaders].filter((one) => one.length >= fewest && /^[\x21-\x7e]{1,2000}$/.test(one))
}

function textsOfJson(text: string): readonly string[] {
  const found: string[] = []
  const collect = (value: unknown): void => {
    if (typeof value === 'string') {
      found.push(value)
      if (value.startsWith('{')) collect(JSON.parse(value))
    } else if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) collect(member)
  }
  if (text !== '') collect(JSON.parse(text))
  return found
}

/** Values of attributes, and words; a style has neither. */
function textsOfPage(text: string): readonly string[] {
  const shown = text.replaceAll(/<style[\s\S]*?<\/style>/g, '')
  const values = [...shown.matchAll(/="([^"]*)"/g)].map(([, value = '']) => value.replaceAll('&amp;', '&'))
  const words = shown.split(/[\s"'<>=&;,()]+/)
  return [...values, ...words]
}
