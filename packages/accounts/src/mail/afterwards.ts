import { describeFailure } from '@latchkey/store'

/** Work that nobody waits for: mails and rehashes. */
export interface Afterwards {
  /**
   * Does the work in a later turn of the event loop, when the answer is on its way: neither its time nor its failure can
   * tell anything about an account. `onFailure` hears what was thrown by its code or name. `delayMs`: how much later, 0
   * unless told.
   */
  run(work: () => Promise<void>, onFailure: (failure: string) => void, delayMs?: number): void
  /** Resolves when nothing is left to do. */
  settled(): Promise<void>
}

export function createAfterwards(): Afterwards {
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
