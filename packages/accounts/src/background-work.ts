import type { FailureFacts } from '@latchkey/core/internal'
import { describeFailure, pause } from '@latchkey/core/internal'

/** Work that no answer waits for, and a shutdown does: mails, rehashes, links to remove. */
export interface BackgroundWork {
  /**
   * Starts the work in a later turn of the event loop, when the answer is on its way: neither its time nor its failure
   * reveals anything about an account.
   * @param onFailure receives what was thrown, and its code or its name.
   * @param delayMs how much later it starts.
   * @returns what resolves when the work has ended, and never rejects.
   */
  run(work: () => Promise<void>, onFailure: (failed: FailureFacts) => void, delayMs?: number): Promise<void>
  /** Resolves when no work is left. */
  settled(): Promise<void>
}

/** A request as far as its platform waits for what it has started. */
export interface WaitingRequest {
  /** The platform's `waitUntil`; omitted where the process goes on by itself. */
  waitUntil?(work: Promise<unknown>): void
}

export function createBackgroundWork(): BackgroundWork {
  const underWay = new Set<Promise<void>>()
  return {
    run(work, onFailure, delayMs = 0) {
      const done: Promise<void> = pause(delayMs)
        .then(work)
        .catch((cause: unknown) => onFailure({ failure: describeFailure(cause), cause }))
        .finally(() => underWay.delete(done))
      underWay.add(done)
      return done
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}

/** Returns the same work as one request starts it: the platform of the request is told to wait for it. */
export function backgroundOf(request: WaitingRequest, background: BackgroundWork): BackgroundWork {
  return {
    run(...given) {
      const done = background.run(...given)
      request.waitUntil?.(done)
      return done
    },
    settled: background.settled,
  }
}
