import { AuthError, rejectMissed } from '../errors.ts'
import { abortAfter } from '../platform/time.ts'
import type { Keys } from './open-keys.ts'
import { signProof } from './proofs.ts'

/** Sends requests of the client to the endpoints of the authorization server. */
export interface TokenEndpoint {
  /** Posts a form; throws `AuthError` with the code of OAuth. */
  post(path: string, form: Readonly<Record<string, string>>): Promise<TokenAnswer>
  /** Returns a proof for one request. */
  prove(method: string, url: string, token?: string): Promise<string>
  /** Stores the nonce of a response. Returns whether the request must be sent again with it. */
  read(response: Response): boolean
}

export interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token?: string
  readonly expires_in?: number
  readonly error?: string
  readonly error_description?: string
}

/** Creates the sender of requests to the endpoints, with their latest nonce. */
export function createTokenEndpoint({
  issuer,
  clientId,
  keys,
  fetch,
}: {
  readonly issuer: string
  readonly clientId: string
  readonly keys: Keys
  readonly fetch?: typeof globalThis.fetch | undefined
}): TokenEndpoint {
  let nonce: string | undefined
  const prove = async (method: string, url: string, token?: string): Promise<string> =>
    signProof((await keys.read()).keys, method, url, nonce, token)
  const read = (response: Response): boolean => {
    const given = response.headers.get('dpop-nonce')
    if (!given || given === nonce) return false
    nonce = given
    return response.status === 400 || response.status === 401
  }
  const send = async (url: string, form: Readonly<Record<string, string>>): Promise<Response> => {
    const options: RequestInit = {
      method: 'POST',
      redirect: 'error',
      credentials: 'omit',
      signal: abortAfter(8000),
    }
    const body = new URLSearchParams({ client_id: clientId, ...form })
    const headers = { dpop: await prove('POST', url) }
    return (fetch ?? globalThis.fetch)(new Request(url, { ...options, body, headers })).catch(rejectMissed)
  }
  const post = async (path: string, form: Readonly<Record<string, string>>): Promise<TokenAnswer> => {
    const response = await send(issuer + path, form)
    return readAnswer(read(response) ? await send(issuer + path, form) : response)
  }
  return { post, prove, read }
}

async function readAnswer(response: Response): Promise<TokenAnswer> {
  const answer = (await response.json().catch(() => null)) ?? {}
  if (response.ok) return answer
  const { error = 'NETWORK', error_description: text = error } = answer
  throw new AuthError(error, text, response)
}
