import type { TestRunner } from './test-runner.ts'

/**
 * The parts that a kit needs to test a store: a test runner, two clients of one backend, and the failures of that
 * backend.
 */
export interface StoreKit<Store> extends TestRunner {
  /** Creates a client of the backend under test. It is called twice, when the first test runs. */
  readonly createStore: () => Store | Promise<Store>
  /**
   * Creates the second client, in another process: it finds data that is kept in the memory of a process. See
   * `createStoreInProcess`.
   * @default `createStore`
   */
  readonly createStoreElsewhere?: () => Store | Promise<Store>
  /**
   * The clock of the stores under test, in epoch milliseconds; of an account store the clock of `identities.records`.
   * Documents and audit rows need no clock. Default: the stores' `now`.
   */
  readonly now?: () => number
  /** Resolves when that clock has advanced by these milliseconds. Default: a timer. */
  readonly wait?: (milliseconds: number) => Promise<void>
  /**
   * Creates a client whose backend cannot be reached, for example on a port without a listener. It may throw the
   * `StoreError` itself, if the store connects when it is created. Omitted: the tests of an unreachable backend are
   * skipped.
   */
  readonly unreachable?: () => Store | Promise<Store>
  /**
   * Stops the backend under both clients with their connections open, as SIGSTOP does. With `thaw`. Omitted: the tests
   * of a frozen backend are skipped.
   */
  readonly freeze?: () => void | Promise<void>
  /** Lets the backend go on. */
  readonly thaw?: () => void | Promise<void>
  /**
   * The calls that `freeze` stops: `changes` for an embedded database, which cannot be stopped but whose write lock
   * another process can hold. Reads are then not called while it is frozen.
   * @default 'all'
   */
  readonly freezes?: 'all' | 'changes'
  /**
   * The deadline of the clients, in milliseconds.
   * @default 250
   */
  readonly deadlineMs?: number
  /** The name and version of the backend, for the report: `MariaDB 11.4`. */
  readonly backend?: string
  /**
   * Receives the conformance report as text, after the last test: the number of passed tests, the titles of failed
   * and skipped ones, and the reason of each skip. Omitted: no report is written.
   */
  readonly report?: (text: string) => unknown
}

/** The ways in which a kit makes the backend of a store fail. */
export type KitOutages<Store> = Pick<StoreKit<Store>, 'unreachable' | 'freeze' | 'thaw' | 'freezes' | 'deadlineMs'>
