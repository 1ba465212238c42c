import { abortAfter, createSemaphore, type Semaphore } from '@latchkey/core/internal'

/** Why a logout token has not arrived. */
export type LogoutFailure =
  /** The address is plain `http:`, and this server is not. */
  | 'address'
  /** Too many others wait for the client. */
  | 'busy'
  /** There was no answer in time. */
  | 'late'
  /** There was no connection. */
  | 'unreachable'
  /** The answer was neither 200 nor 204; a redirect is not followed. */
  | 'status'

/** The outcome of a call. */
export type LogoutOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: LogoutFailure; readonly cause: Error }

/** Requests to clients, bounded in time and number. */
export interface LogoutCalls {
  /**
   * Posts the token that `createToken` returns, which is called when it is about to be sent. What that throws is thrown on.
   *
   * @param to whose address it is: the calls to one client wait for each other.
   */
  post(
    to: { readonly clientId: string; readonly uri: string },
    createToken: () => Promise<string>,
  ): Promise<LogoutOutcome>
}

export interface LogoutCallsOptions {
  readonly fetch: typeof globalThis.fetch
  /** For a whole call, with the time that it waits. */
  readonly timeoutMs: number
  /** Whether plain `http:` is refused. */
  readonly isHttps: boolean
}

/** A client that is slow keeps its own calls waiting, and none of another client. */
const mostPerClient = { atOnce: 4, waiting: 250 }

export function createLogoutCalls({ fetch, timeoutMs, isHttps }: LogoutCallsOptions): LogoutCalls {
  const lines = new Map<string, Semaphore>()

  async function send(uri: string, token: string, signal: AbortSignal): Promise<LogoutOutcome> {
    const body = new URLSearchParams({ logout_token: token })
    const response = await fetch(uri, { method: 'POST', body, redirect: 'manual', signal })
    // What a client says beside the status is not read.
    response.body?.cancel().catch(() => {})
    const { status } = response
    return status === 200 || status === 204 ? { ok: true } : failed('status', `the answer has the status ${status}`)
  }

  /** The token is made once its turn has come: it lives for two minutes. */
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

/** A function that is passed as `fetch` may ignore the signal. */
function lateAfter(signal: AbortSignal): Promise<LogoutOutcome> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(late())
    else signal.addEventListener('abort', () => resolve(late()), { once: true })
  })
}

/** What `fetch` rejects with quotes neither the token nor the answer. */
function unreachable(signal: AbortSignal): (thrown: unknown) => LogoutOutcome {
  return (thrown) => {
    if (signal.aborted) return late()
    const cause = thrown instanceof Error ? thrown : new Error('there was no connection')
    return { ok: false, reason: 'unreachable', cause }
  }
}
