import { decodeBase64url, encodeBase64url, randomToken, sha256 } from '@latchkey/bytes'
import { isSha256Of } from '@latchkey/bytes/internal'
import { createSessionCookie, type HttpRequest, type SessionCookie } from '@latchkey/http'
import { createOneTimeCredentials } from '@latchkey/store'
import { defineStoredShape, isStoredCount, isStoredText, storedObject } from '@latchkey/store/internal'
import { createSingleUse } from '../../proofs/single-use.ts'
import { type AuthorizationRequest, requestMembers } from '../checks/authorization-request.ts'
import type { ServerContext } from '../context/server-context.ts'
import { createSealedValues } from './sealed-values.ts'

/** A request that waits for its user to sign in or to allow it. */
export interface PendingRequest {
  /** Names the request in addresses. In another browser it has no value. */
  readonly handle: string
  readonly request: AuthorizationRequest
  /** The start of the wait, in epoch milliseconds. */
  readonly since: number
}

/** Waiting requests. Each is bound to the browser that sent it. */
export interface PendingRequests {
  /**
   * Returns the handle of a request, and the `Set-Cookie` line that binds it to the browser. Strangers can send requests: the
   * handle contains the request, and the server stores only a request that is too long for an address. `null`: `hasRoom`
   * refuses to store it.
   */
  keep(
    browser: HttpRequest,
    request: AuthorizationRequest,
    hasRoom: () => Promise<boolean>,
  ): Promise<{ readonly handle: string; readonly setCookie: string } | null>
  /** Returns the waiting request of this browser, or `null`. */
  read(browser: HttpRequest, handle: string | null): Promise<PendingRequest | null>
  /** Marks a request as answered. Returns `true` to exactly one caller. */
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

/** An answer is remembered longer than its request is accepted, because the store's clock may differ. */
const clockMarginMs = 60_000

type Parts = Pick<ServerContext, 'records' | 'now' | 'requestSeconds' | 'transport' | 'secretsFor' | 'storedVersion'>

export function createPendingRequests(parts: Parts): PendingRequests {
  const { records, now, requestSeconds, transport, secretsFor, storedVersion } = parts
  const given = { now, kind: 'ar', ttlSeconds: requestSeconds }
  const requests = createOneTimeCredentials({ ...given, records })
  const sealed = createSealedValues({ ...given, secrets: secretsFor('pending') })
  const answered = createSingleUse(records, 'au')

  async function readValue(handle: string | null): Promise<PendingValue | null> {
    const opened = await sealed.open(handle)
    // A sealed request is remembered when it is answered; a stored request is removed.
    if (opened) return (await answered.has([handle ?? ''])) ? null : shape.parse(opened.value)
    const found = await requests.read(handle)
    return found && shape.parse(found.value)
  }

  const cookie = createBrowserCookie(requestSeconds, transport)
  const store = async (value: string): Promise<string> => (await requests.create({ owner: null, value })).credential
  return {
    async keep(browser, request, hasRoom) {
      const known = readBrowser(cookie, browser)
      // One name for all requests of a browser: requests of several tabs can wait at the same time.
      const name = known ?? randomToken(32)
      const browserHash = encodeBase64url(sha256(name))
      const value = shape.format({ request, browserHash, since: now() }, storedVersion())
      const handle = (await sealed.seal(value)) ?? ((await hasRoom()) ? await store(value) : null)
      return handle === null ? null : { handle, setCookie: cookie.write(name) }
    },
    async read(browser, handle) {
      const name = readBrowser(cookie, browser)
      const value = name === null ? null : await readValue(handle)
      const isOwn = value && isSha256Of(decodeBase64url(value.browserHash) ?? new Uint8Array(), name ?? '')
      return isOwn && handle !== null ? { handle, request: value.request, since: value.since } : null
    },
    async consume({ handle }) {
      const opened = await sealed.open(handle)
      if (opened) return answered.accept([handle], opened.expiresAt + clockMarginMs)
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
  const name = cookie.read(browser)
  return name !== null && browserFormat.test(name) ? name : null
}
