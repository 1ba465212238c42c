import { type Html, html } from '../html.ts'
import type { PageFrame } from '../page.ts'

/** Returns a day as the language of the page writes it. */
export function dateOf({ language }: Pick<PageFrame, 'language'>, at: number): Html {
  const date = new Date(at)
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(date)
  return html`<time datetime="${date.toISOString()}">${day}</time>`
}
