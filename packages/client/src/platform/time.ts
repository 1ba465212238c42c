/** Waits until the time is over or the signal is aborted, with `wakes` also until the network is back. */
export function pause(ms: number, wakes?: boolean, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const ending = new AbortController()
    const end = (): void => {
      clearTimeout(timer)
      ending.abort()
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (wakes) globalThis.addEventListener?.('online', end, ending)
    signal?.addEventListener('abort', end, ending)
    if (signal?.aborted) end()
  })
}

/** Returns a signal that is aborted after so many milliseconds. */
export function abortAfter(ms: number): AbortSignal {
  return AbortSignal.timeout(ms)
}

/** Milliseconds until the next try: 250 doubled up to a second, or up to `most`, of which a quarter is chance. */
export function backoff(tries: number, most = 1000): number {
  return Math.min(250 * 2 ** tries, most) * (0.75 + Math.random() / 4)
}

/** Seconds of the clock of this machine, which may be wrong. */
export function seconds(): number {
  return Math.floor(Date.now() / 1000)
}
