import { abortAfter, createSemaphore, type Semaphore } from '@latchkey/core/internal'

/** The reason for which a logout token was not delivered. */
export type LogoutFailure =
  /** The address is `http:`, but the issuer is `https:`. */
  | 'address'
  /** Too many calls wait for the client. */
  | 'busy'
  /** The client did not respond in time. */
  | 'late'
  /** The connection failed. */
  | 'unreachable'
  /** The status is neither 200 nor 204. Redirects are not followed. */
  | 'status'

/** The outcome of a call. */
export type LogoutOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: LogoutFailure; readonly cause: Error }

/** Requests to clients, bounded in time and number. */
export interface LogoutCalls {
  /**
   * Calls `createToken` just before the request, and posts the token. Rethrows the errors of `createToken`.
   *
   * @param to the client and its address. The number of concurrent calls to a client is limited.
   */
  post(
    to: { readonly clientId: string; readonly uri: string },
    createToken: () => Promise<string>,
  ): Promise<LogoutOutcome>
}

export interface LogoutCallsOptions {
  readonly fetch: typeof globalThis.fetch
  /** The limit for a call, including its wait. */
  readonly timeoutMs: number
  /** Whether `http:` addresses are refused. */
  readonly isHttps: boolean
}

/** The limits of each client: a slow client delays only its own calls. */
const mostPerClient = { atOnce: 4, waiting: 250 }

export function createLogoutCalls({ fetch, timeoutMs, isHttps }: LogoutCallsOptions): LogoutCalls {
  const lines = new Map<string, Semaphore>()

  async function send(uri: string, token: string, signal: AbortSignal): Promise<LogoutOutcome> {
    const body = new URLSearchParams({ logout_token: token })
    const response = await fetch(uri, { method: 'POST', body, redirect: 'manual', signal })
    // Only the status counts.
    response.body?.cancel().catch(() => {})
    const { status } = response
    return status === 200 || status === 204 ? { ok: true } : failed('status', `the answer has the status ${status}`)
  }

  /** Creates the token after the wait, because it expires after two minutes. */
  async function sendInTurn(
    signal: AbortSignal,
    uri: string,
    createToken: () => Promise<string>,
  ): Promise<LogoutOutcome> {
    if (signal.aborted) return late()
    const token = await createToken()
    return Promise.race([send(uri, token, signal).catch(unreachable(signal)), lateAfter(signal)])
  }

  return {
    async post({ clientId, uri }, createToken) {
      if (isHttps && !uri.startsWith('https:')) return failed('address', 'the address is not https:')
      const line = lines.get(clientId) ?? createSemaphore(mostPerClient)
      lines.set(clientId, line)
      const signal = abortAfter(timeoutMs)
      if (!(await line.enter())) return failed('busy', `${mostPerClient.waiting} others wait`)
      try {
        return await sendInTurn(signal, uri, createToken)
      } finally {
        if (!line.leave()) lines.delete(clientId)
      }
    },
  }
}

function failed(reason: LogoutFailure, message: string): LogoutOutcome {
  return { ok: false, reason, cause: new Error(message) }
}

function late(): LogoutOutcome {
  return failed('late', 'there was no answer in time')
}

/** Needed because a custom `fetch` may ignore the signal. */
function lateAfter(signal: AbortSignal): Promise<LogoutOutcome> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(late())
    else signal.addEventListener('abort', () => resolve(late()), { once: true })
  })
}

/** Keeps the error of `fetch`, which quotes neither the token nor the response. */
function unreachable(signal: AbortSignal): (thrown: unknown) => LogoutOutcome {
  return (thrown) => {
    if (signal.aborted) return late()
    const cause = thrown instanceof Error ? thrown : new Error('there was no connection')
    return { ok: false, reason: 'unreachable', cause }
  }
}
