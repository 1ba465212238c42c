import type { SqlStores } from '@latchkey/sql'

/** The stores of which methods are called from elsewhere. */
export type CalledStores = Pick<SqlStores, 'records' | 'accounts' | 'documents' | 'counters'>

/** A call of one method of one store. */
export interface StoreCall {
  readonly store: keyof CalledStores
  readonly method: string
  readonly given: readonly unknown[]
}

/** What the method has returned, or the code of the `StoreError` that it has thrown, and the time of the stores. */
export type StoreOutcome = ({ readonly value: unknown } | { readonly code: string; readonly message: string }) & {
  readonly now: number
}
