import { type Html, html } from './html.ts'
import type { PageFrame } from './page.ts'

const day = { year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC' } as const
const minute = { ...day, hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const

/** Returns a day as the reader writes it in the language of the page. */
export function dateOf(frame: Pick<PageFrame, 'locale'>, at: number): Html {
  return timeOf(frame, at, day)
}

/** Returns a date and time in UTC, because the service does not know the reader's time zone. */
export function momentOf(frame: Pick<PageFrame, 'locale'>, at: number): Html {
  return timeOf(frame, at, minute)
}

function timeOf({ locale }: Pick<PageFrame, 'locale'>, at: number, parts: Intl.DateTimeFormatOptions): Html {
  const date = new Date(at)
  return html`<time datetime="${date.toISOString()}">${new Intl.DateTimeFormat(locale, parts).format(date)}</time>`
}
