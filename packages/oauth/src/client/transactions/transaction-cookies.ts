import { createSealer, equalBytes, type SecretKeys } from '@latchkey/bytes'
import { randomFraction } from '@latchkey/bytes/internal'
import { type allowPlainHttpOnLoopback, createSessionCookie, type SessionCookie } from '@latchkey/http'
import { isStoredCount, isStoredText, storedOrNull } from '@latchkey/store/internal'
import { isJsonObject } from '../connection/json-object.ts'
import { placeOf, type Transaction, transactionSeconds, transactionsAtMost } from './transaction.ts'

export interface TransactionCookiesOptions {
  readonly secrets: SecretKeys
  /** The client, provider and redirect URI of these transactions: no other owner can open them. */
  readonly owner: readonly string[]
  readonly transport: typeof allowPlainHttpOnLoopback | undefined
  readonly now: () => number
}

/** Transactions in cookies, one cookie for each. */
export interface TransactionCookies {
  /**
   * Returns a place for a new transaction of a browser: a free place, else the oldest transaction's; without cookies a
   * random place.
   */
  choosePlace(cookieHeader: string | null): number
  /** Returns the `Set-Cookie` line that stores a transaction. */
  write(transaction: Transaction): Promise<string>
  /** Returns the browser's transaction with this state, even if expired, or `null`. */
  read(state: string, cookieHeader: string | null): Promise<Transaction | null>
  /** Returns the `Set-Cookie` line that removes a transaction. */
  clear(state: string): string
}

/** Creates the cookies of a client's transactions: `__Host-`, `HttpOnly`, `SameSite=Lax`, sealed. */
export function createTransactionCookies(options: TransactionCookiesOptions): TransactionCookies {
  const { owner, now } = options
  const sealer = createSealer({ secrets: options.secrets, purpose: 'oauth/transaction' })
  const cookies = Array.from({ length: transactionsAtMost }, (_none, place) => createCookie(place, options.transport))
  const cookieAt = (place: number): SessionCookie => cookies[place] ?? createCookie(place, options.transport)
  // The start in front of the box is authenticated with it.
  const contextOf = (place: number, startedAt: string): string => JSON.stringify([...owner, place, startedAt])
  return {
    choosePlace(cookieHeader) {
      if (cookieHeader === null) return Math.floor(randomFraction() * transactionsAtMost)
      const ages = cookies.map((cookie) => now() - startOf(cookie.read(cookieHeader)))
      return ages.indexOf(Math.max(...ages))
    },
    async write(transaction) {
      const place = placeOf(transaction.state)
      const startedAt = transaction.startedAt.toString(36)
      const plain = new TextEncoder().encode(JSON.stringify(transaction))
      return cookieAt(place).write(`${startedAt}.${await sealer.seal(plain, contextOf(place, startedAt))}`)
    },
    async read(state, cookieHeader) {
      const { startedAt, box } = splitValue(cookieAt(placeOf(state)).read(cookieHeader))
      const opened = await sealer.open(box, contextOf(placeOf(state), startedAt))
      const transaction = opened && parseTransaction(new TextDecoder().decode(opened))
      return transaction && isEqual(transaction.state, state) ? transaction : null
    },
    clear: (state) => cookieAt(placeOf(state)).clear(),
  }
}

function createCookie(place: number, transport: TransactionCookiesOptions['transport']): SessionCookie {
  const maxAgeSeconds = transactionSeconds
  return transport === undefined
    ? createSessionCookie({ name: `__Host-oauth-${place}`, maxAgeSeconds })
    : createSessionCookie({ name: `latchkey-oauth-${place}`, maxAgeSeconds, transport })
}

function splitValue(value: string | null): { readonly startedAt: string; readonly box: string } {
  const [, startedAt = '', box = ''] = /^([\da-z]{1,11})\.(.+)$/.exec(value ?? '') ?? []
  return { startedAt, box }
}

/** A place without a valid transaction counts as the oldest. */
function startOf(value: string | null): number {
  const startedAt = Number.parseInt(splitValue(value).startedAt, 36)
  return Number.isSafeInteger(startedAt) ? startedAt : Number.NEGATIVE_INFINITY
}

function parseTransaction(text: string): Transaction | null {
  const value: unknown = JSON.parse(text)
  const isWhole =
    isJsonObject(value) &&
    [value.state, value.seed, value.returnTo].every(isStoredText) &&
    isStoredCount(value.startedAt) &&
    storedOrNull(isStoredCount)(value.maxAgeSeconds) &&
    storedOrNull(isStoredText)(value.binding)
  return isWhole ? (value as unknown as Transaction) : null
}

function isEqual(left: string, right: string): boolean {
  const encoder = new TextEncoder()
  return equalBytes(encoder.encode(left), encoder.encode(right))
}
