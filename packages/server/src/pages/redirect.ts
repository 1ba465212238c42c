import type { HttpReply } from '@latchkey/http'
import type { PageFrame } from './page.ts'

/** Returns a reply that leads to another page, by GET: a form that was sent is not sent again when it is reloaded. */
export function redirect({ security }: Pick<PageFrame, 'security'>, location: string): HttpReply {
  const headers = [['Location', location], ['Cache-Control', 'no-store'], ...security.api] as const
  return { status: 303, headers, body: null }
}
