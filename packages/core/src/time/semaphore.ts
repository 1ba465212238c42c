/** A number of places, and a bounded queue for them. */
export interface Semaphore {
  /** Resolves in the order of calls, once a place is free; `false`: too many wait. */
  enter(): Promise<boolean>
  /** Passes the place to the first that waits. Returns whether any place is still taken. */
  leave(): boolean
}

export function createSemaphore(most: { readonly atOnce: number; readonly waiting: number }): Semaphore {
  const queue: (() => void)[] = []
  let taken = 0
  return {
    async enter() {
      if (taken < most.atOnce) taken++
      else if (queue.length >= most.waiting) return false
      else await new Promise<void>((resolve) => queue.push(resolve))
      return true
    },
    leave() {
      const next = queue.shift()
      if (next) next()
      else taken--
      return taken > 0
    },
  }
}
