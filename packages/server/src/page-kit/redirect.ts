import type { HttpResponse } from '@latchkey/http'
import type { PageFrame } from './html/page.ts'

/**
 * Returns a response that leads to another page, by GET: a form that was sent is not sent again when it is reloaded.
 *
 * @param location `null`: the home of the application.
 */
export function redirect(
  { security, settings }: Pick<PageFrame, 'security' | 'settings'>,
  location: string | null,
): HttpResponse {
  const headers = [['Location', location ?? settings.home], ['Cache-Control', 'no-store'], ...security.api] as const
  return { status: 303, headers, body: null }
}
