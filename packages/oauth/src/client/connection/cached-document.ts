export interface CachedDocumentOptions<Document> {
  readonly load: () => Promise<Document>
  /** Documents older than this are not used. From half of this age, the document is reloaded in the background. */
  readonly maxAgeMs: number
  /** The shortest time between two loads. */
  readonly cooldownMs: number
  readonly now: () => number
}

/** An in-memory copy of a provider's document. */
export interface CachedDocument<Document> {
  /** Returns a document within `maxAgeMs`. Within the cool-down of a failed load, rejects with the same error. */
  current(): Promise<Document>
  /** Reloads the document if the current document lacks a value; `null`: within the cool-down of the last load. */
  renewed(): Promise<Document | null>
}

/**
 * A load that has run this long is not waited for: some platforms stop background work with the response of its
 * request.
 */
const lostMs = 30_000

interface Attempt<Document> {
  readonly at: number
  readonly work: Promise<Document>
  state: 'under-way' | 'loaded' | 'failed'
}

/** Creates a document that is loaded on demand, with at most one load at a time. */
export function createCachedDocument<Document>(options: CachedDocumentOptions<Document>): CachedDocument<Document> {
  const { load, maxAgeMs, cooldownMs, now } = options
  let last: Attempt<Document> | null = null
  let loaded: Attempt<Document> | null = null
  // In both directions: a clock that was set back must not extend the age of a document.
  const isWithin = (attempt: Attempt<Document> | null, ms: number): attempt is Attempt<Document> =>
    attempt !== null && Math.abs(now() - attempt.at) < ms

  function start(): Promise<Document> {
    if (last?.state === 'under-way' && isWithin(last, lostMs)) return last.work
    const attempt: Attempt<Document> = { at: now(), work: load(), state: 'under-way' }
    last = attempt
    const end = (state: 'loaded' | 'failed'): void => {
      attempt.state = state
      if (state === 'loaded' && last === attempt) loaded = attempt
    }
    attempt.work.then(
      () => end('loaded'),
      () => end('failed'),
    )
    return attempt.work
  }
  const isCoolingDown = (): boolean => last?.state !== 'under-way' && isWithin(last, cooldownMs)

  return {
    async current() {
      const known = isWithin(loaded, maxAgeMs) ? loaded : null
      if (!known) return last?.state === 'failed' && isCoolingDown() ? last.work : start()
      // A failure is thrown once the document is too old.
      if (!isWithin(known, maxAgeMs / 2) && !isCoolingDown()) start().catch(() => null)
      return known.work
    },
    async renewed() {
      if (!isCoolingDown()) return start()
      return last?.state === 'failed' ? last.work : null
    },
  }
}
