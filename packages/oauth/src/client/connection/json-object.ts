import { OAuthError } from '../../errors.ts'

/** The members of a JSON object from outside; none is checked. */
export type JsonMembers = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Returns the JSON of a response. The body stays readable.
 *
 * @throws OAuthError `OAUTH_PROVIDER_INVALID`
 */
export async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.clone().json()
  } catch {
    // The parser's message quotes the text, which may hold tokens.
    throw invalidAnswer('it is not JSON')
  }
}

/**
 * Returns the JSON object of a response.
 *
 * @throws OAuthError `OAUTH_PROVIDER_INVALID`
 */
export async function readJsonObject(response: Response): Promise<JsonMembers> {
  const value = await readJson(response)
  if (!isJsonObject(value)) throw invalidAnswer('it is no JSON object')
  return value
}

/** Creates the error for an invalid response. `why` states the broken rule and never quotes the response. */
export function invalidAnswer(why: string, cause?: unknown): OAuthError {
  return new OAuthError('OAUTH_PROVIDER_INVALID', `an answer of the provider cannot be used: ${why}`, { cause })
}
