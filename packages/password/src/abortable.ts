/** Settles like the result, or rejects with the signal's reason as soon as it is aborted. */
export function abortable<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return result
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason)
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}
