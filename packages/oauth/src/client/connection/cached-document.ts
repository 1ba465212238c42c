export interface CachedDocumentOptions<Document> {
  readonly load: () => Promise<Document>
  /** Older documents are not used; from half of this age on they are loaded again in the background. */
  readonly maxAgeMs: number
  /** The shortest time between two loads. */
  readonly cooldownMs: number
  readonly now: () => number
}

/** A copy in memory of what a provider publishes. */
export interface CachedDocument<Document> {
  /** Returns a document that is not older than allowed. Throws the failure of the last load within its cool-down. */
  current(): Promise<Document>
  /** Loads again, for what the current document does not have. `null`: the last load is within its cool-down. */
  renewed(): Promise<Document | null>
}

/** A load of this age is not waited for: some platforms end with a response what its request has started. */
const lostMs = 30_000

interface Attempt<Document> {
  readonly at: number
  readonly work: Promise<Document>
  state: 'under-way' | 'loaded' | 'failed'
}

/** Creates a document that is loaded when it is needed, once at a time. */
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
