import { isState } from './transaction.ts'

/** A provider's answer to an authorization request, unchecked. */
export interface Answer {
  readonly state: string
  readonly code: string | null
  readonly error: string | null
  /** The answer's `iss` (RFC 9207). */
  readonly issuer: string | null
  /** Apple's JSON about the user, not signed. */
  readonly user: string | null
}

/** The reasons for an unusable answer. */
export type AnswerRefusal =
  /** A repeated parameter, both or neither of code and error, or a token. */
  | 'malformed'
  /** `state` is missing or has another format. */
  | 'state'

/** Longer than any code with a name. */
const longest = 16_384

/** Returns the answer in the parameters of a callback. */
export function readAnswer(parameters: URLSearchParams): Answer | AnswerRefusal {
  const names = [...parameters.keys()]
  // This client never requests tokens here: an answer with a token was made for another client.
  const isAmbiguous =
    new Set(names).size < names.length || ['access_token', 'id_token'].some((name) => parameters.has(name))
  if (parameters.size > 0 && (isAmbiguous || String(parameters).length > longest)) return 'malformed'
  const read = (name: string): string | null => parameters.get(name) || null
  const [state, code, error] = [read('state'), read('code'), read('error')]
  if (!isState(state)) return 'state'
  if ((code === null) === (error === null)) return 'malformed'
  return { state, code, error, issuer: read('iss'), user: read('user') }
}
