/** A few values that survive the page, or live as long as the page if it has no storage. */
export interface Kept {
  /** Returns `null` if there is no such value, and `undefined` if the page cannot know. */
  get(name: string): string | null | undefined
  set(name: string, value: string | null): void
}

/** Opens what is kept for one service. Storage that is full or forbidden is as good as none. */
export function openStorage(scope: string): Kept {
  const memory = new Map<string, string>()
  return {
    get: (name) => memory.get(name) ?? attempt(() => localStorage.getItem(scope + name)),
    set: (name, value) => {
      memory.delete(name)
      attempt(() => localStorage.removeItem(scope + name))
      if (value === null) return
      memory.set(name, value)
      attempt(() => {
        localStorage.setItem(scope + name, value)
        memory.delete(name)
      })
    },
  }
}

function attempt<Value>(run: () => Value): Value | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}
