import { isState } from './transaction.ts'

/** What a provider has answered to an authorization request, as it was sent. */
export interface Answer {
  readonly state: string
  readonly code: string | null
  readonly error: string | null
  /** The issuer that the answer names (RFC 9207). */
  readonly issuer: string | null
  /** What Apple posts of a user besides, as JSON. It is not signed. */
  readonly user: string | null
}

/** Why nothing can be made of an answer. */
export type AnswerRefusal =
  /** A parameter stands twice, there is neither a code nor an error, or both, or a token. */
  | 'malformed'
  /** There is no `state`, or none of this client. */
  | 'state'

/** Longer than any code, with a name beside it. */
const longest = 16_384

/** Returns the answer that stands in the parameters of a callback. */
export function readAnswer(parameters: URLSearchParams): Answer | AnswerRefusal {
  const names = [...parameters.keys()]
  // Tokens are what this client never asks for: an answer with one was made for another client.
  const isAmbiguous =
    new Set(names).size < names.length || ['access_token', 'id_token'].some((name) => parameters.has(name))
  if (parameters.size > 0 && (isAmbiguous || String(parameters).length > longest)) return 'malformed'
  const read = (name: string): string | null => parameters.get(name) || null
  const [state, code, error] = [read('state'), read('code'), read('error')]
  if (!isState(state)) return 'state'
  if ((code === null) === (error === null)) return 'malformed'
  return { state, code, error, issuer: read('iss'), user: read('user') }
}
