import { encodeBase64url, randomBytes } from '@latchkey/bytes'
import { checkOptionNames } from '@latchkey/core/internal'
import type { HttpRequest } from '../http-request.ts'
import { parseIpAddress } from './ip-address.ts'
import { createIpRanges } from './ip-range.ts'

/** Names requests, so that an answer, a log and an event can be matched. */
export interface RequestIds {
  /** Returns the id of a request, each time the same: the id from a trusted proxy, else a generated id. */
  of(request: Pick<HttpRequest, 'headers' | 'peerAddress'>): string
  /** Sets the id of a request: the id of the request that it is a part of. */
  give(request: Pick<HttpRequest, 'headers' | 'peerAddress'>, id: string): void
  /** Returns a new id, for a response without a request. */
  draw(): string
}

/**
 * Creates the ids of requests. A generated id has 96 random bits: it is unique over all processes and does not reveal
 * the number of requests. An id from a trusted proxy is kept if it has 1 to 128 characters of `A-Z a-z 0-9 . _ ~ -`.
 *
 * @throws TypeError if an option is unknown, or a proxy is neither an address nor a range.
 */
export function createRequestIds(
  options: {
    /**
     * Addresses or ranges of the proxies whose `X-Request-Id` is kept. Only list proxies that write that header themselves: one
     * that passes it on as it came lets a client choose the id, and two requests have the same one in a log.
     * @default []
     */
    readonly trustedProxies?: readonly string[]
  } = {},
): RequestIds {
  const { trustedProxies = [] } = checkOptionNames('createRequestIds', options, { trustedProxies: true })
  const isTrusted = createIpRanges(trustedProxies)
  // A property: what stands in a weak map outlives the next collections of garbage, and takes the request with it.
  const own = Symbol('request id')
  const ofFrozen = new WeakMap<object, string>()
  const draw = createDrawer()
  const readKept = (request: Parameters<RequestIds['of']>[0]): string | null => {
    const peer = trustedProxies.length > 0 ? parseIpAddress(request.peerAddress ?? '') : null
    const id = peer && isTrusted(peer) ? (request.headers.get('x-request-id') ?? null) : null
    return id !== null && kept.test(id) ? id : null
  }
  function give(request: Parameters<RequestIds['of']>[0], id: string): void {
    const named = request as typeof request & { [own]?: string }
    if (Object.isExtensible(request)) named[own] = id
    else ofFrozen.set(request, id)
  }
  return {
    of(request) {
      const named = request as typeof request & { [own]?: string }
      const known = named[own] ?? ofFrozen.get(request)
      if (known !== undefined) return known
      const id = readKept(request) ?? draw()
      give(request, id)
      return id
    },
    give,
    draw,
  }
}

/** A header that was sent twice is joined by a comma, and is no id. */
const kept = /^[\w.~-]{1,128}$/

/** Random bytes are drawn for many ids at once, and not before the first request: Workers draw none while they start. */
function createDrawer(): () => string {
  let drawn = new Uint8Array()
  let used = 0
  return () => {
    if (used === drawn.length) {
      drawn = randomBytes(idBytes * idsAtOnce)
      used = 0
    }
    used += idBytes
    return encodeBase64url(drawn.subarray(used - idBytes, used))
  }
}

const idBytes = 12
const idsAtOnce = 128
