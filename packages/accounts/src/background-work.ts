import { describeFailure } from '@latchkey/store'

/** Work that no answer waits for, and a shutdown does: mails, rehashes, links to remove. */
export interface BackgroundWork {
  /**
   * Starts the work in a later turn of the event loop, when the answer is on its way: neither its time nor its failure
   * reveals anything about an account.
   * @param onFailure receives the code or the name of what was thrown.
   * @param delayMs how much later it starts.
   */
  run(work: () => Promise<void>, onFailure: (failure: string) => void, delayMs?: number): void
  /** Resolves when no work is left. */
  settled(): Promise<void>
}

export function createBackgroundWork(): BackgroundWork {
  const underWay = new Set<Promise<void>>()
  return {
    run(work, onFailure, delayMs = 0) {
      const done: Promise<void> = new Promise<void>((resolve) => setTimeout(resolve, delayMs))
        .then(work)
        .catch((error: unknown) => onFailure(describeFailure(error)))
        .finally(() => underWay.delete(done))
      underWay.add(done)
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
