import { checkOptionNames } from '@latchkey/core/internal'
import type { CounterStore, DocumentStore } from '@latchkey/store'
import type { Collection } from '@latchkey/store/internal'
import { createStoredApiKeys, type StoredApiKey } from '../api-keys/stored-api-keys.ts'
import type { AccountsOptions } from './accounts-options.ts'

type ApiKeyOptions = Required<AccountsOptions>['apiKeys']

/** The keys of accounts, with their options. */
export interface ApiKeys extends Required<ApiKeyOptions> {
  readonly stored: Collection<StoredApiKey>
  readonly counters: CounterStore
}

export interface ApiKeyStores {
  readonly documents: DocumentStore | null
  readonly counters: CounterStore
  /** The version of stored values to write. */
  readonly storedVersion: () => number
}

/** @throws TypeError that names the option that is missing, unknown or not valid. */
export function readApiKeys(
  given: ApiKeyOptions | undefined,
  { documents, counters, storedVersion }: ApiKeyStores,
): ApiKeys | null {
  if (given === undefined) return null
  const names = { prefix: true, mayGrant: true, maxDays: true, requestsPerMinute: true } as const
  const { mayGrant, ...limits } = checkOptionNames('"apiKeys"', given, names)
  if (typeof mayGrant !== 'function') throw new TypeError('"apiKeys.mayGrant" must be a function')
  const checked = readApiKeyLimits(limits)
  if (!documents) throw new TypeError('"apiKeys" needs "documents"')
  return { ...checked, mayGrant, counters, stored: createStoredApiKeys(documents, storedVersion) }
}

const defaultDays = 90

/** The longest lifetime of a key that can be set, and the longest one by default. */
export const longestKeyDays: number = 365

/** Returns the lifetime of a key, in days, if its creator names none. */
export function keyDaysByDefault(maxDays: number = longestKeyDays): number {
  return Math.min(defaultDays, maxDays)
}

/**
 * Returns the prefix and the limits of keys.
 *
 * @throws TypeError that names what is not valid.
 */
export function readApiKeyLimits({
  prefix,
  maxDays = longestKeyDays,
  requestsPerMinute = 600,
}: Omit<ApiKeyOptions, 'mayGrant'>): Required<Omit<ApiKeyOptions, 'mayGrant'>> {
  if (typeof prefix !== 'string' || !/^[a-z][a-z0-9]{0,6}_$/.test(prefix)) {
    throw new TypeError('"apiKeys.prefix" must be 1 to 7 of a-z and 0-9, beginning with a letter, and an underscore')
  }
  if (!Number.isInteger(maxDays) || maxDays < 1 || maxDays > longestKeyDays) {
    throw new TypeError(`"apiKeys.maxDays" must be a whole number of days from 1 to ${longestKeyDays}`)
  }
  if (!Number.isInteger(requestsPerMinute) || requestsPerMinute < 1) {
    throw new TypeError('"apiKeys.requestsPerMinute" must be a whole number of at least 1')
  }
  return { prefix, maxDays, requestsPerMinute }
}
