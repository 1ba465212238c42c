import type { HttpRequest } from '@latchkey/http'
import { AccessError } from '../../errors.ts'

/**
 * Gives the handshake as if `authorization` of the `connection_init` payload had been its header: pages cannot set
 * headers of a WebSocket. Two of them are as good as two headers: none counts.
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
