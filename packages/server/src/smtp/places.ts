/** A number of places, and those who wait for one in their order. */
export interface Places {
  /** Resolves when there is a place; `false`: too many wait already. */
  enter(): Promise<boolean>
  /** Leaves a place to who has waited longest. */
  leave(): void
}

export function createPlaces({ atOnce, waiting }: { readonly atOnce: number; readonly waiting: number }): Places {
  const queue: (() => void)[] = []
  let taken = 0
  return {
    async enter() {
      if (taken < atOnce) taken++
      else if (queue.length >= waiting) return false
      else await new Promise<void>((resolve) => queue.push(resolve))
      return true
    },
    leave() {
      const next = queue.shift()
      if (next) next()
      else taken--
    },
  }
}
