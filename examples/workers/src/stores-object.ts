import { createSqliteStores, type SqlStores } from '@latchkey/sql'
import { isStoreError } from '@latchkey/store'
import { type DurableStorage, openDurableDatabase } from './durable-database.ts'
import type { StoreCall, StoreOutcome } from './store-calls.ts'

/** The part of a Durable Object's state that the stores use. */
interface ObjectState {
  readonly storage: DurableStorage & { getAlarm(): Promise<number | null>; setAlarm(at: number): Promise<void> }
  blockConcurrencyWhile(work: () => Promise<void>): void
}

const sweepIntervalMs = 60_000
const recordsAtOnce = 500

/**
 * The Durable Object that holds accounts, sessions, keys and counts of attempts. There is one instance in the world, so that
 * all Workers see a change at once. It is reached through the binding only.
 */
export class StoresObject {
  readonly #storage: ObjectState['storage']
  readonly #stores: SqlStores

  constructor(state: ObjectState) {
    this.#storage = state.storage
    this.#stores = createSqliteStores({ database: () => openDurableDatabase(state.storage) })
    state.blockConcurrencyWhile(async () => {
      await this.#stores.migrate()
      await this.#planSweep()
    })
  }

  async fetch(request: Request): Promise<Response> {
    const call: StoreCall = await request.json()
    const outcome = await this.#run(call).catch(describe)
    return Response.json({ ...outcome, now: Date.now() } satisfies StoreOutcome)
  }

  /** Removes expired records, which are refused in any case, so that they take no space. */
  async alarm(): Promise<void> {
    await this.#stores.records.sweep(recordsAtOnce)
    await this.#planSweep()
  }

  async #run({ store, method, given }: StoreCall): Promise<{ readonly value: unknown }> {
    const called = this.#stores[store] as unknown as Record<string, (...given: readonly unknown[]) => Promise<unknown>>
    return { value: (await called[method]?.(...given)) ?? null }
  }

  async #planSweep(): Promise<void> {
    if ((await this.#storage.getAlarm()) === null) await this.#storage.setAlarm(Date.now() + sweepIntervalMs)
  }
}

function describe(error: unknown): { readonly code: string; readonly message: string } {
  if (isStoreError(error)) return { code: error.code, message: error.message }
  throw error
}
