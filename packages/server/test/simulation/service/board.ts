import { currentMachine, type Machine } from '../world/machine.ts'

/** News that reach all who listen, in every process. */
export interface Board {
  readonly publish: (text: string) => void
  readonly listen: () => AsyncIterableIterator<string>
  /** How many sources are open in processes that live. */
  readonly listeners: () => number
  /** When each text was published, epoch milliseconds. */
  readonly published: ReadonlyMap<string, number>
}

interface Listener {
  readonly machine: Machine | undefined
  readonly texts: string[]
  wake: () => void
  isOver: boolean
}

export function createBoard(now: () => number): Board {
  const listeners = new Set<Listener>()
  const published = new Map<string, number>()
  return {
    published,
    listeners: () => [...listeners].filter(({ machine }) => !machine?.isKilled).length,
    publish(text) {
      published.set(text, now())
      for (const listener of listeners) {
        listener.texts.push(text)
        listener.wake()
      }
    },
    listen() {
      const listener: Listener = { machine: currentMachine(), texts: [], wake: () => undefined, isOver: false }
      listeners.add(listener)
      const source: AsyncIterableIterator<string> = {
        [Symbol.asyncIterator]: () => source,
        async next() {
          while (listener.texts.length === 0 && !listener.isOver)
            await new Promise<void>((resolve) => {
              listener.wake = resolve
            })
          const value = listener.texts.shift()
          return value === undefined ? { done: true, value } : { done: false, value }
        },
        async return() {
          listener.isOver = true
          listeners.delete(listener)
          listener.wake()
          return { done: true, value: undefined }
        },
      }
      return source
    },
  }
}
