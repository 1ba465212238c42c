import type { ProviderIdentity } from '../contract/provider-identity.ts'

const mostCharacters = 1024

/**
 * Returns an input that says who a user is at a provider.
 *
 * @throws TypeError when it is no verdict that is `ok`.
 */
export function checkProviderIdentity<Input extends ProviderIdentity>(input: Input): Input {
  const { issuer, subject, amr, sid, authenticatedAt, binding, ok = true } = input as Input & { readonly ok?: unknown }
  const isWhole =
    ok === true &&
    [issuer, subject].every(isName) &&
    Array.isArray(amr) &&
    [sid, binding].every((text) => text === null || isName(text)) &&
    (authenticatedAt === null || Number.isFinite(authenticatedAt))
  if (isWhole) return input
  throw new TypeError('what a provider says of a user must be a verdict of "finish" that is "ok"')
}

/**
 * Returns whether a value can name a provider, a user or a session there. Stores keep no NUL, and make one character of all
 * lone surrogates, so that two users would become one.
 */
export function isName(text: unknown): boolean {
  return typeof text === 'string' && text.length <= mostCharacters && /^[^\0\p{Cs}]+$/u.test(text)
}
