import type { HttpResponse } from '@latchkey/http'
import type { PageFrame } from './html/page.ts'

/**
 * Returns a redirect (303), so that a reload does not send a form again.
 *
 * @param location the destination; `null`: the application's home.
 */
export function redirect(
  { security, settings }: Pick<PageFrame, 'security' | 'settings'>,
  location: string | null,
): HttpResponse {
  const headers = [['Location', location ?? settings.home], ['Cache-Control', 'no-store'], ...security.api] as const
  return { status: 303, headers, body: null }
}
