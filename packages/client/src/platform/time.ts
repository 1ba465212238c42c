/** Waits, until the signal is aborted or, where `wakes`, the network is back. */
export function pause(ms: number, signal?: AbortSignal | null, wakes = false): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      globalThis.removeEventListener?.('online', end)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (wakes) globalThis.addEventListener?.('online', end)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
}

/** Returns a signal that is aborted after this time. */
export function abortAfter(ms: number): AbortSignal {
  return AbortSignal.timeout(ms)
}

/** Milliseconds until the next try: 250 doubled up to a second, of which a quarter is chance. */
export function backoff(tries: number): number {
  return Math.min(250 * 2 ** tries, 1000) * (0.75 + Math.random() / 4)
}

/** Seconds of the clock of this machine, which may be wrong. */
export function seconds(): number {
  return Math.floor(Date.now() / 1000)
}

/** A factor between a half and one, by chance. */
export function jitter(): number {
  return 0.5 + Math.random() / 2
}
