import type { HttpRequest } from '@latchkey/http'
import { AccessError } from '../../errors.ts'

/**
 * Returns the handshake with `authorization` of the `connection_init` payload as its header, because pages cannot set
 * headers of a WebSocket. Two values are joined like two headers, so that neither counts.
 *
 * @throws AccessError `BAD_REQUEST`
 */
export function withConnectionParams(
  request: HttpRequest,
  params: Readonly<Record<string, unknown>> | undefined,
): HttpRequest {
  const given = Object.entries(params ?? {}).filter(([name]) => name.toLowerCase() === 'authorization')
  const shown = given.map(([, value]) => value).filter((value) => value !== null && value !== undefined)
  if (shown.length === 0) return request
  if (shown.some((value) => typeof value !== 'string')) {
    throw new AccessError('BAD_REQUEST', { message: '"authorization" must be a string.' })
  }
  const header = request.header('authorization')
  const authorization = [...(header === null ? [] : [header]), ...shown].join(', ')
  return {
    ...request,
    header: (name) => (name.toLowerCase() === 'authorization' ? authorization : request.header(name)),
  }
}
