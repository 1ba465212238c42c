/** Work that no response waits for. */
export interface Background {
  /** Starts the work, which must not reject. */
  run(work: () => Promise<void>): void
  /** Resolves when no work is left. */
  settled(): Promise<void>
}

export function createBackground(): Background {
  const underWay = new Set<Promise<void>>()
  return {
    run(work) {
      const done: Promise<void> = work().finally(() => underWay.delete(done))
      underWay.add(done)
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
