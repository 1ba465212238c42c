import { startDuration } from '@latchkey/core/internal'
import { StoreError } from '@latchkey/store'

/** Appends what has waited together, in order. */
export type AppendTogether<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>

export interface RowQueueOptions {
  /** The number of items that may wait; a further item is refused. */
  readonly mostWaiting: number
  /** An item that has waited longer is refused. */
  readonly deadlineMs: number
}

/** Items that are appended in their order, one append at a time. */
export interface RowQueue<Item, Result> {
  /** Resolves once it was appended. */
  add(item: Item): Promise<Result>
  /** Resolves when no item waits or is under way. */
  idle(): Promise<void>
}

interface Waiting<Item, Result> {
  readonly item: Item
  /** Returns for how many milliseconds it has waited. */
  waited(): number
  resolve(result: Result): void
  reject(reason: unknown): void
}

/** A power of two, so that a store sees few sizes, and can prepare its statements. */
const mostTogether = 128

/**
 * Creates a queue that joins the items which arrive during one append into the next append. An append that fails refuses
 * also the items that wait for it, so that none waits for one failure after another.
 */
export function createRowQueue<Item, Result>(
  append: AppendTogether<Item, Result>,
  { mostWaiting, deadlineMs }: RowQueueOptions,
): RowQueue<Item, Result> {
  let waiting: Waiting<Item, Result>[] = []
  let running: Promise<void> | null = null

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, sizeOfBatch(waiting.length))
      waiting = waiting.slice(batch.length)
      await appendBatch(batch.filter(refuseLate))
    }
    running = null
  }

  function refuseLate({ waited, reject }: Waiting<Item, Result>): boolean {
    const isLate = waited() > deadlineMs
    if (isLate) reject(outage('a row of the audit log could not be written in time'))
    return !isLate
  }

  async function appendBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    if (batch.length === 0) return
    try {
      const results = await append(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      for (const { reject } of [...batch, ...waiting]) reject(error)
      waiting = []
    }
  }

  return {
    add(item) {
      if (waiting.length >= mostWaiting) return Promise.reject(outage('too many rows of the audit log wait'))
      const { promise, resolve, reject } = Promise.withResolvers<Result>()
      waiting.push({ item, waited: startDuration(), resolve, reject })
      running ??= drain()
      return promise
    },
    idle: () => running ?? Promise.resolve(),
  }
}

function sizeOfBatch(waiting: number): number {
  return Math.min(2 ** Math.floor(Math.log2(waiting)), mostTogether)
}

function outage(message: string): StoreError {
  return new StoreError('STORE_UNAVAILABLE', message)
}
