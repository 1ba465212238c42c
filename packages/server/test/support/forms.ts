import type { Answer } from './visitor.ts'

/** What a browser sends with a form of a page of `https://example.com`. */
export const ownForm = {
  origin: 'https://example.com',
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-user': '?1',
}

export const titleOf = ({ text }: Answer): string | undefined => /<h1>(.*)<\/h1>/.exec(text)?.[1]

/** Returns the value that a field of a page has, as it is escaped there. */
export function fieldValue({ text }: Answer, name: string): string | undefined {
  return new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(text)?.[1]
}
