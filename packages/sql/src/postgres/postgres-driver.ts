import type { SqlRow } from '../statements/sql-executor.ts'
import type { StatementSignal } from './statement-signal.ts'

/** Runs one statement. */
export type PostgresQuery = (text: string, values: readonly unknown[]) => Promise<readonly SqlRow[]>

/** The statements of one transaction. */
export type PostgresWork<T> = (query: PostgresQuery) => Promise<T>

/**
 * One interface for all drivers. When the signal is aborted, the running statement is dropped together with its
 * connection.
 */
export interface PostgresDriver {
  /** How many connections it has at most: more statements at once would only wait, or share one of them. */
  readonly places: number
  query(text: string, values: readonly unknown[], signal: StatementSignal): Promise<readonly SqlRow[]>
  /**
   * The same for one of a bounded number of texts, which the server then parses and plans once for each connection.
   */
  prepared(text: string, values: readonly unknown[], signal: StatementSignal): Promise<readonly SqlRow[]>
  /** Runs several statements in one transaction. */
  script(text: string, signal: AbortSignal): Promise<void>
  /**
   * Commits what the work has done, or undoes it when it throws.
   *
   * @param limitMs the server's time limit for each statement.
   */
  transaction<T>(work: PostgresWork<T>, limitMs: number, signal: AbortSignal): Promise<T>
  /** Resolves within seconds, whether or not the server confirms it. */
  end(): Promise<void>
}
