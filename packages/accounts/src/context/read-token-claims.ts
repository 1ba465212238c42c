import type { Account } from '../store/account-store.ts'
import type { AccountsOptions } from './accounts-options.ts'

/** Returns the claim `ext` of an account's access token, if the application adds any. */
export type ReadTokenClaims = (account: Account) => { readonly ext?: unknown }

const mostBytes = 1024

/** @throws TypeError when it is no function. */
export function readTokenClaims(ofAccount: AccountsOptions['signIn']['accessTokenClaims']): ReadTokenClaims {
  if (ofAccount === undefined) return () => ({})
  if (typeof ofAccount !== 'function') throw new TypeError('"signIn.accessTokenClaims" must be a function')
  return (account) => {
    const text = toJson(() => ofAccount(account))
    return text === '{}' ? {} : { ext: JSON.parse(text) }
  }
}

/** Wraps every error, because the client would receive an error with a code as a refusal. */
function toJson(read: () => unknown): string {
  try {
    const text = JSON.stringify(read(), requireJson)
    if (!text?.startsWith('{')) throw new TypeError('they must be an object')
    if (new TextEncoder().encode(text).length <= mostBytes) return text
    throw new RangeError(`they must not exceed ${mostBytes} bytes of JSON`)
  } catch (cause) {
    throw new Error('the function for claims of access tokens has failed, so no token was issued', { cause })
  }
}

/** Refuses values that `JSON.stringify` changes or drops, and names that no verifier accepts. */
function requireJson(this: unknown, name: string, value: unknown): unknown {
  if (value instanceof Promise) value.catch(() => undefined) // no one waits for it
  const isOmitted = value === undefined && !Array.isArray(this)
  if (name !== '__proto__' && name.isWellFormed() && (isOmitted || isJson(value))) return value
  throw new TypeError(name === '' ? 'they must be an object of JSON, at once' : `"${name}" is not JSON`)
}

function isJson(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object') return typeof value === 'boolean'
  return value === null || Array.isArray(value) || isPlain(value)
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
