import { collectBytes } from '@latchkey/bytes/internal'
import { abortAfter } from '@latchkey/core/internal'
import type { ProtectedResourceRequestBody } from 'oauth4webapi'
import { OAuthError } from '../../errors.ts'

/** A request to a provider. */
export interface ProviderRequest {
  readonly method?: string
  readonly headers: Record<string, string>
  readonly body?: ProtectedResourceRequestBody
}

/** Sends a request, bounded in time and size. */
export type ProviderFetch = (url: string, request: ProviderRequest) => Promise<Response>

export interface ProviderFetchOptions {
  readonly fetch: typeof globalThis.fetch
  /** The limit for a whole request, including the response body. */
  readonly timeoutMs: number
}

/** The largest key sets of known providers have a 200th of this. */
const maxBodyBytes = 1_000_000

/**
 * Creates the `fetch` for a provider. It follows no redirects and returns only complete responses.
 *
 * Rejects with an `OAuthError` `OAUTH_PROVIDER_UNAVAILABLE` for a failed connection, a response that is too slow or too
 * large, a redirect, and the statuses 429 and 5xx.
 */
export function createProviderFetch({ fetch, timeoutMs }: ProviderFetchOptions): ProviderFetch {
  return async (url, { method = 'GET', headers, body = null }) => {
    const signal = abortAfter(timeoutMs)
    try {
      const init: RequestInit = { method, headers, body: body as BodyInit | null, redirect: 'manual', signal }
      const answer = fetch(url, init)
      return await Promise.race([readWhole(answer, signal), failAfter(signal)])
    } catch (cause) {
      throw new OAuthError('OAUTH_PROVIDER_UNAVAILABLE', 'the provider does not answer as it should', { cause })
    }
  }
}

/** Needed because a custom `fetch` may ignore the signal. */
function failAfter(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

async function readWhole(answer: Promise<Response>, signal: AbortSignal): Promise<Response> {
  const response = await answer
  const { status, headers } = response
  if (!isUsable(status)) {
    await response.body?.cancel()
    throw new Error(`the answer has the status ${status}`)
  }
  const bytes = await collectBytes(response.body, { limitBytes: maxBodyBytes, signal })
  if (bytes === null) throw new Error(`the answer has more than ${maxBodyBytes} bytes`)
  return new Response(bytes, { status, headers })
}

/** Excludes redirects. Their status is 3xx, or 0 on platforms whose `fetch` hides them, such as browsers. */
function isUsable(status: number): boolean {
  return status === 200 || (status >= 400 && status < 500 && status !== 429)
}
