import { OAuthError } from '../../errors.ts'

/** The members of a JSON object that others have made: nothing is known of them. */
export type JsonMembers = Readonly<Record<string, unknown>>

/** Returns whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the JSON of an answer, and leaves its body to be read again. @throws OAuthError `OAUTH_PROVIDER_INVALID` */
export async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.clone().json()
  } catch {
    // The parser's message quotes the text, which may hold tokens.
    throw invalidAnswer('it is not JSON')
  }
}

/** Returns the JSON object of an answer. @throws OAuthError `OAUTH_PROVIDER_INVALID` */
export async function readJsonObject(response: Response): Promise<JsonMembers> {
  const value = await readJson(response)
  if (!isJsonObject(value)) throw invalidAnswer('it is no JSON object')
  return value
}

/** Creates the error for what a provider must not answer. `why` states the rule and quotes nothing. */
export function invalidAnswer(why: string, cause?: unknown): OAuthError {
  return new OAuthError('OAUTH_PROVIDER_INVALID', `an answer of the provider cannot be used: ${why}`, { cause })
}
