import type { SqlStores } from '@latchkey/sql'

/** The stores of which methods are called from elsewhere. */
export type CalledStores = Pick<SqlStores, 'records' | 'accounts' | 'documents' | 'counters'>

/** A call of one method of one store. */
export interface StoreCall {
  readonly store: keyof CalledStores
  readonly method: string
  readonly given: readonly unknown[]
}

/** The result of the method or the code of its `StoreError`, and the time of the stores. */
export type StoreOutcome = ({ readonly value: unknown } | { readonly code: string; readonly message: string }) & {
  readonly now: number
}
