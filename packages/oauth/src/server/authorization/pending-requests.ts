import { decodeBase64url, encodeBase64url, isSha256Of, randomToken, sha256 } from '@latchkey/bytes'
import { createSessionCookie, type HttpRequest, type SessionCookie } from '@latchkey/http'
import {
  createOneTimeCredentials,
  defineStoredShape,
  isStoredCount,
  isStoredText,
  type OneTimeCredentials,
  storedObject,
  storedVersion,
} from '@latchkey/store'
import { type AuthorizationRequest, requestMembers } from '../checks/authorization-request.ts'
import type { ServerContext } from '../context/server-context.ts'

/** A request that waits for its user to sign in or to allow it. */
export interface PendingRequest {
  /** What names it in addresses: worth nothing in another browser. */
  readonly handle: string
  readonly request: AuthorizationRequest
  /** When it began to wait, epoch milliseconds. */
  readonly since: number
}

/** Requests that wait, each for the browser that has sent it. */
export interface PendingRequests {
  /** Keeps a request, and returns its handle with the header that binds it to the browser. */
  keep(
    browser: HttpRequest,
    request: AuthorizationRequest,
  ): Promise<{ readonly handle: string; readonly setCookie: string }>
  /** Returns a request that waits for this browser, or `null`. */
  read(browser: HttpRequest, handle: string | null): Promise<PendingRequest | null>
  /** Uses a request up: `true` for exactly one caller. */
  consume(pending: PendingRequest): Promise<boolean>
}

interface PendingValue {
  readonly request: AuthorizationRequest
  readonly browserHash: string
  readonly since: number
}

const shape = defineStoredShape<PendingValue>({
  name: 'authorization request',
  members: { request: storedObject(requestMembers), browserHash: isStoredText, since: isStoredCount },
})

const browserFormat = /^[\w-]{43}$/

type Parts = Pick<ServerContext, 'records' | 'now' | 'requestSeconds' | 'transport'>

export function createPendingRequests({ records, now, requestSeconds, transport }: Parts): PendingRequests {
  const requests = createOneTimeCredentials({ records, now, kind: 'ar', ttlSeconds: requestSeconds })
  const cookie = createBrowserCookie(requestSeconds, transport)
  return {
    async keep(browser, request) {
      const known = readBrowser(cookie, browser)
      // One name for all requests of a browser: several tabs wait side by side.
      const name = known ?? randomToken(32)
      const value = { request, browserHash: encodeBase64url(sha256(name)), since: now() }
      const { credential } = await requests.create({ owner: null, value: shape.format(value, storedVersion) })
      return { handle: credential, setCookie: cookie.write(name) }
    },
    async read(browser, handle) {
      const name = readBrowser(cookie, browser)
      const value = name === null ? null : await readValue(requests, handle)
      const isOwn = value && isSha256Of(decodeBase64url(value.browserHash) ?? new Uint8Array(), name ?? '')
      return isOwn && handle !== null ? { handle, request: value.request, since: value.since } : null
    },
    async consume({ handle }) {
      return (await requests.consume(handle)) !== null
    },
  }
}

function createBrowserCookie(maxAgeSeconds: number, transport: ServerContext['transport']): SessionCookie {
  return transport === undefined
    ? createSessionCookie({ name: '__Host-authorization', maxAgeSeconds })
    : createSessionCookie({ name: 'latchkey-authorization', maxAgeSeconds, transport })
}

function readBrowser(cookie: SessionCookie, browser: HttpRequest): string | null {
  const name = cookie.read(browser.header('cookie'))
  return name !== null && browserFormat.test(name) ? name : null
}

async function readValue(requests: OneTimeCredentials, handle: string | null): Promise<PendingValue | null> {
  const found = await requests.read(handle)
  return found && shape.parse(found.value)
}
