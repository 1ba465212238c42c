import type { CounterStore } from '../../counter-store.ts'
import type { ObjectModel } from '../history/record-calls.ts'

interface OpenCounter {
  readonly count: number
  /** The end of its window; `null` if it is finite and no answer has told it. */
  readonly resetAt: number | null
}

/** One counter of the contract. Its finite windows are longer than a test, so that none of them ends by itself. */
export const counterModel: ObjectModel<OpenCounter | null> = {
  methods: ['hit', 'reset'],
  nameOf: ({ input: [key] }) => String(key),
  initial: null,
  isRead: ({ method, input }) => method === 'hit' && input[2] === 0,
  step(counter, { method, input, answer, end }) {
    if (method === 'reset') return [null]
    const next = afterHit(counter, input as Parameters<CounterStore['hit']>)
    if (end === Number.POSITIVE_INFINITY) return [next]
    const hit = answer as Awaited<ReturnType<CounterStore['hit']>>
    if (hit.count !== (next?.count ?? 0)) return []
    if (next === null) return [null]
    const isRight = next.resetAt === null ? hit.resetAt !== endless : hit.resetAt === next.resetAt
    return isRight ? [{ ...next, resetAt: hit.resetAt }] : []
  },
}

const endless = Number.MAX_SAFE_INTEGER

function afterHit(
  counter: OpenCounter | null,
  [, windowMs, by = 1]: Parameters<CounterStore['hit']>,
): OpenCounter | null {
  if (counter) return { ...counter, count: Math.max(0, counter.count + by) }
  return by > 0 ? { count: by, resetAt: windowMs === Number.POSITIVE_INFINITY ? endless : null } : null
}
