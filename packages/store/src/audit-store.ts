import type { StoreCapabilities } from './record-store.ts'

/** One row of an audit log. The rows of a chain have consecutive sequences, and never change. */
export interface StoredAuditRow {
  /** The run of a process that wrote it. */
  readonly chain: string
  /** Its place in the chain: 1, 2, 3, … */
  readonly sequence: number
  /** Epoch milliseconds. */
  readonly at: number
  /** The decision that it belongs to: its intention and its outcome have the same one. */
  readonly entry: string
  readonly state: 'intended' | 'done' | 'failed' | 'checkpoint'
  /** The type of the event: `password.changed`. */
  readonly kind: string
  /** The account of the decision. */
  readonly accountId: string | null
  /** Opaque to the store: the permanent facts, and the chain's authentication code over them and the previous row. */
  readonly value: string
  /** Opaque to the store: personal data, which `value` covers by a salted hash. `null`: none, or erased. */
  readonly personal: string | null
}

/** Which rows to list. */
export interface AuditQuery {
  readonly accountId?: string
  readonly kind?: string
  /** Rows of these states only; no state, no rows. */
  readonly states?: readonly StoredAuditRow['state'][]
  /** Rows of these decisions only, at most 1000; no decision, no rows. */
  readonly entries?: readonly string[]
  /**
   * The maximum number of rows, at least 1.
   * @default 100
   */
  readonly limit?: number
  /** The `cursor` of the page before; omitted for the first page. */
  readonly cursor?: string
}

/**
 * An audit log: rows are added, never changed and never overwritten; only personal data can be erased, and the oldest
 * rows of a chain removed. Test an implementation with `describeAuditStore` of `@latchkey/store/testing`.
 */
export interface AuditStore {
  /** Omitted: it was written for version 1 of the contract. */
  readonly capabilities?: Pick<StoreCapabilities, 'contract'>
  /**
   * Adds rows, all or none, and in the same step moves the heads of their chains to the rows with the greatest
   * sequence. `false`: a row of that chain and sequence exists, and the store did not change.
   */
  append(rows: readonly StoredAuditRow[]): Promise<boolean>
  /** Returns rows with the newest first, at most `limit`, and a `cursor` while there may be more. */
  list(query?: AuditQuery): Promise<{ readonly items: readonly StoredAuditRow[]; readonly cursor?: string }>
  /** Returns rows of a chain in their order, after that sequence, at most `limit`. */
  readChain(
    chain: string,
    range: { readonly after: number; readonly limit: number },
  ): Promise<readonly StoredAuditRow[]>
  /** Returns the chains that have rows or a head, in the order of their names, after that name. */
  listChains(query: { readonly after: string | null; readonly limit: number }): Promise<
    readonly {
      readonly chain: string
      /** The sequence of its first and its last row; `null` if all rows are gone without being pruned. */
      readonly first: number | null
      readonly last: number | null
      /** `null` if it is gone. */
      readonly head: { readonly chain: string; readonly sequence: number; readonly value: string } | null
    }[]
  >
  /**
   * Returns the heads whose rows are the latest by their times, the latest first. A head is the last row that was ever
   * appended to a chain. It is kept apart from the rows: removing them does not move it.
   */
  latestHeads(
    limit: number,
  ): Promise<readonly { readonly chain: string; readonly sequence: number; readonly value: string }[]>
  /** Erases the personal data of the rows of an account, and returns of how many. */
  erasePersonal(accountId: string): Promise<number>
  /**
   * Removes the rows of a chain before that sequence, and returns how many. The head stays, unless it is before that
   * sequence, too: the whole chain is removed then.
   */
  prune(chain: string, before: number): Promise<number>
}

/** The last row that was ever appended to a chain. */
export type AuditHead = Awaited<ReturnType<AuditStore['latestHeads']>>[number]

/** A chain, as far as it has rows, and its head. */
export type AuditChain = Awaited<ReturnType<AuditStore['listChains']>>[number]
