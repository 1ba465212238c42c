/** Settles like the work, or rejects when the signal aborts: what is awaited may ignore it, or never settle. */
export function orAbort<T>(work: Promise<T> | T, signal: AbortSignal | undefined): Promise<T> {
  const aborted = new Promise<never>((_resolve, reject) => {
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  return Promise.race([work, aborted])
}
