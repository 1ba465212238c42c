/** A fetch before its start. */
export interface WantedFetch {
  readonly id: string
  readonly host: string
  /** The address of the requester. Requesters without a known address share the empty text. */
  readonly address: string
}

export type FetchVerdict =
  /** The fetch counts from now on. Call `end` after the fetch. */
  { readonly ok: true; readonly end: () => void } | { readonly ok: false; readonly retryAfterSeconds: number }

interface CountedFetch extends WantedFetch {
  readonly at: number
  endedAt: number | null
}

const windowMs = 60_000
const betweenMs = 1000
const atOnce = 16
const perMinute = 120
const perHost = 30
const perAddress = 10

/** Creates the limits of fetches of this process, in sliding windows of 60 seconds. A limited fetch does not count. */
export function createFetchLimits(now: () => number): (wanted: WantedFetch) => FetchVerdict {
  let counted: readonly CountedFetch[] = []
  return (wanted) => {
    const at = now()
    // In both directions: a clock set back does not extend a window.
    const isWithin = (instant: number, ms: number): boolean => Math.abs(at - instant) < ms
    counted = counted.filter((one) => one.endedAt === null || isWithin(one.at, windowMs))
    const isUnderWay = ({ endedAt }: CountedFetch): boolean => endedAt === null
    const isSoon = ({ id, endedAt }: CountedFetch): boolean =>
      id === wanted.id && (endedAt === null || isWithin(endedAt, betweenMs))
    const waits = [
      waitFor(counted, perMinute, at),
      waitFor(
        counted.filter(({ host }) => host === wanted.host),
        perHost,
        at,
      ),
      waitFor(
        counted.filter(({ address }) => address === wanted.address),
        perAddress,
        at,
      ),
      counted.filter(isUnderWay).length < atOnce ? 0 : betweenMs,
      counted.some(isSoon) ? betweenMs : 0,
    ]
    const waitMs = Math.max(...waits)
    if (waitMs > 0) return { ok: false, retryAfterSeconds: Math.ceil(waitMs / 1000) }
    const fetch: CountedFetch = { ...wanted, at, endedAt: null }
    counted = [...counted, fetch]
    const end = (): void => {
      fetch.endedAt = now()
    }
    return { ok: true, end }
  }
}

/** Returns the milliseconds until the window has room for a fetch. */
function waitFor(fetches: readonly CountedFetch[], limit: number, at: number): number {
  const oldest = fetches.at(-limit)
  if (fetches.length < limit || !oldest) return 0
  return Math.min(Math.max(oldest.at + windowMs - at, 1), windowMs)
}
