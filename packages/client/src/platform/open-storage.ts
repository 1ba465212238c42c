/** A few values that survive the page, or live as long as the page if it has no storage. */
export interface Kept {
  /** Returns `null` if there is no such value, and `undefined` if the page cannot know. */
  get(name: string): string | null | undefined
  set(name: string, value: string | null): void
}

/** Opens the stored values of a service. If storage is full or forbidden, values live as long as the page. */
export function openStorage(scope: string): Kept {
  const memory: Record<string, string | null> = {}
  return {
    get: (name) => {
      try {
        return memory[name] ?? localStorage.getItem(scope + name)
      } catch {
        return undefined
      }
    },
    set: (name, value) => {
      memory[name] = value
      try {
        localStorage.removeItem(scope + name)
        if (value !== null) localStorage.setItem(scope + name, value)
        memory[name] = null
      } catch {
        // The value lives as long as the page.
      }
    },
  }
}
