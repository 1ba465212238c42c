import { collectBytes } from '@latchkey/bytes/internal'
import { abortAfter } from '@latchkey/core/internal'
import type { ProtectedResourceRequestBody } from 'oauth4webapi'
import { OAuthError } from '../../errors.ts'

/** What is sent to a provider. */
export interface ProviderRequest {
  readonly method?: string
  readonly headers: Record<string, string>
  readonly body?: ProtectedResourceRequestBody
}

/** Requests to a provider, each bounded in time and size. */
export type ProviderFetch = (url: string, request: ProviderRequest) => Promise<Response>

export interface ProviderFetchOptions {
  readonly fetch: typeof globalThis.fetch
  /** For a whole request, its body included. */
  readonly timeoutMs: number
}

/** No answer of a provider is near it: 200 times what the largest sets of keys have. */
const maxBodyBytes = 1_000_000

/**
 * Creates the requests to a provider. They follow no redirect, and answers are there as a whole or not at all.
 *
 * What they reject with is an `OAuthError` `OAUTH_PROVIDER_UNAVAILABLE`: no connection, too slow, too large, a redirect, a
 * status of 429 or from 500.
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

/** A function that is passed as `fetch` may ignore the signal. */
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

/** A redirect is 0 where the platform hides it. */
function isUsable(status: number): boolean {
  return status === 200 || (status >= 400 && status < 500 && status !== 429)
}
