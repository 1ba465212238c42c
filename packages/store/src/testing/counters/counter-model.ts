import type { CounterStore } from '../../counter-store.ts'
import type { ObjectModel } from '../history/record-calls.ts'

interface OpenCounter {
  readonly count: number
  /** The end of its window, of which the hits tell; `null` before the first answer. */
  readonly resetAt: number | null
}

/** One counter of the contract. Its windows are longer than a test, so that none of them ends by itself. */
export const counterModel: ObjectModel<OpenCounter | null> = {
  methods: ['hit', 'reset'],
  nameOf: ({ input: [key] }) => String(key),
  initial: null,
  isRead: ({ method, input }) => method === 'hit' && input[2] === 0,
  step(counter, { method, input, answer, end }) {
    if (method === 'reset') return [null]
    const [, , by = 1] = input as Parameters<CounterStore['hit']>
    const count = Math.max(0, (counter?.count ?? 0) + by)
    const isOpen = counter !== null || by > 0
    if (end === Number.POSITIVE_INFINITY) return [isOpen ? { count, resetAt: counter?.resetAt ?? null } : null]
    const hit = answer as Awaited<ReturnType<CounterStore['hit']>>
    if (hit.count !== count) return []
    if (!isOpen) return [null]
    return hit.resetAt === (counter?.resetAt ?? hit.resetAt) ? [{ count, resetAt: hit.resetAt }] : []
  },
}
