import { checkOptionNames } from '@latchkey/core/internal'
import type { AddressReader } from '../addresses/address-reader.ts'
import { parseIpAddress } from '../addresses/ip-address.ts'
import { createIpRanges } from '../addresses/ip-range.ts'

export interface FairQueueOptions {
  /**
   * The part of the event loop's time, from 0.01 to 1, that the requests of one address may take over two seconds
   * before they take turns with the requests of others.
   * @default 0.25
   */
  readonly share?: number
  /** How long a request waits for its turn, in milliseconds; then it is refused. @default 5000 */
  readonly waitMs?: number
  /** The most requests of one address that wait; more are refused at once. @default 100 */
  readonly waitingPerAddress?: number
  /** The most requests that wait. @default 1000 */
  readonly waiting?: number
  /**
   * The most addresses that are counted separately at a time; further addresses are counted together.
   * @default 10000
   */
  readonly addressesAtMost?: number
  /**
   * Addresses or ranges whose requests never wait, for example servers that forward many users without naming them. The
   * addresses of `trustedProxies` need not be listed.
   * @default []
   */
  readonly exempt?: readonly string[]
  /** Reads the address of a client. Default: the peer of the connection; no proxy is trusted. */
  readonly addresses?: AddressReader
  /**
   * Called when the requests of an address start to wait: once a minute for each, and at most 100 times a minute. Its
   * errors are ignored.
   */
  readonly onThrottled?: (throttled: ThrottledAddress) => void
  /** Returns milliseconds, by a clock that never goes back. @default performance.now */
  readonly now?: () => number
  /**
   * Returns the usage of the thread. A request that holds the event loop while the thread waits for a processor, and
   * for no disk, counts for the time that the thread has computed. `null`: requests count by `now` alone. Default: the
   * usage by Node.js; `null` if the runtime does not report it, or with your own `now`.
   */
  readonly usage?: (() => { readonly computedMs: number; readonly diskAccesses: number }) | null
}

/** An address whose requests wait, because it has taken more than its share. */
export interface ThrottledAddress {
  /**
   * The name that attempts are counted by: an IPv4 address, or the /64 network of an IPv6 address. `null` for all
   * addresses beyond the most.
   */
  readonly address: string | null
  /** The part of the event loop's time that it had taken. */
  readonly share: number
}

type Limits = Omit<FairQueueOptions, 'addresses' | 'onThrottled' | 'now' | 'usage'>

/** The limits with their defaults. */
export interface TurnSettings extends Required<Omit<Limits, 'exempt'>> {
  readonly isExempt: (address: string) => boolean
}

const limitNames: { readonly [Name in keyof Required<Limits>]: true } = {
  share: true,
  waitMs: true,
  waitingPerAddress: true,
  waiting: true,
  addressesAtMost: true,
  exempt: true,
}

/** A longer timer runs out at once. */
const longestTimerMs = 2_147_483_647

/** @throws TypeError naming the option that cannot be used. */
export function readFairQueueOptions(options: FairQueueOptions): TurnSettings {
  checkOptionNames('createFairQueue', options, {
    ...limitNames,
    addresses: true,
    onThrottled: true,
    now: true,
    usage: true,
  })
  const { share = 0.25, waitMs = 5_000, waitingPerAddress = 100, waiting = 1_000, addressesAtMost = 10_000 } = options
  if (!(share >= 0.01 && share <= 1)) throw new TypeError('"share" must be a number from 0.01 to 1')
  for (const [name, limit] of Object.entries({ waitMs, waitingPerAddress, waiting, addressesAtMost })) {
    if (Number.isInteger(limit) && limit >= 1 && limit <= longestTimerMs) continue
    throw new TypeError(`"${name}" must be a whole number from 1 to ${longestTimerMs}`)
  }
  return { share, waitMs, waitingPerAddress, waiting, addressesAtMost, isExempt: readExempt(options.exempt) }
}

function readExempt(exempt: Limits['exempt'] = []): (address: string) => boolean {
  if (exempt.length === 0) return () => false
  const isIn = createIpRanges(exempt, 'exempt')
  return (text) => {
    const address = parseIpAddress(text)
    return address !== null && isIn(address)
  }
}
