import type { HttpRequest } from '@latchkey/http'
import { AccessError } from '../../errors.ts'
import { csrfHeader } from '../../handler/request-identity.ts'

/**
 * The payload entries that replace headers: the access token, the proof of its key (RFC 9449 §7.1), and the CSRF token
 * of the session.
 */
const presentedNames = ['authorization', 'dpop', csrfHeader] as const

/**
 * Returns the handshake with these entries of the `connection_init` payload as headers, because pages cannot set
 * headers of a WebSocket. Two values are joined like two headers, so that neither is valid.
 *
 * @throws AccessError `BAD_REQUEST`
 */
export function withConnectionParams(
  request: HttpRequest,
  params: Readonly<Record<string, unknown>> | undefined,
): HttpRequest {
  const joined = new Map(presentedNames.flatMap((name) => joinedHeader(request, params, name)))
  if (joined.size === 0) return request
  return { ...request, headers: new Map([...request.headers, ...joined]) }
}

function joinedHeader(
  request: HttpRequest,
  params: Readonly<Record<string, unknown>> = {},
  presentedName: (typeof presentedNames)[number],
): readonly (readonly [name: string, value: string])[] {
  const given = Object.entries(params).filter(([name]) => name.toLowerCase() === presentedName)
  const shown = given.map(([, value]) => value).filter((value) => value !== null && value !== undefined)
  if (shown.length === 0) return []
  if (shown.some((value) => typeof value !== 'string')) {
    throw new AccessError('BAD_REQUEST', { message: `"${presentedName}" must be a string.` })
  }
  const header = request.headers.get(presentedName)
  return [[presentedName, [...(header === undefined ? [] : [header]), ...shown].join(', ')]]
}
