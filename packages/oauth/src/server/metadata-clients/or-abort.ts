/** Settles like the work, or rejects if the signal aborts first. The work may ignore the signal. */
export function orAbort<T>(work: Promise<T> | T, signal: AbortSignal | undefined): Promise<T> {
  const aborted = new Promise<never>((_resolve, reject) => {
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  return Promise.race([work, aborted])
}
