// One statement at a time on MariaDB or MySQL, with a real end. It is what a store needs of its driver:
//
//   a deadline   the call rejects, the connection is dropped, and the server ends the statement as well
//   not after    a statement that was held on its way, by a server that hung, changes nothing when it arrives. It may
//                begin in the first three quarters of its deadline: the server's clock is known by an estimate only
//   a retry      of a deadlock only: the server has undone the whole statement, so that it runs once
//   a clock      an estimate of the server's, because processes on several machines must agree
import { StoreError } from '@latchkey/store'
import { createPool, type PoolConnection, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise'

/**
 * A placeholder for the time of the store in the values of a statement: the client replaces it when the server has answered
 * with its clock.
 */
export const storeTime: unique symbol = Symbol('the time of the store')

/** A list fills `in (?)`. */
export type Value = string | number | null | readonly (string | null)[] | typeof storeTime
type Part = readonly [sql: string, values: readonly Value[]]

export interface MariadbClient {
  /** The server's clock, in epoch milliseconds. */
  now(): number
  read<Row>(sql: string, values: readonly Value[]): Promise<readonly Row[]>
  /**
   * Makes a change, and returns the number of rows that matched. The statement must end in a `where` clause: the client
   * appends the time after which the change has no effect.
   *
   * @returns null if the unique key exists.
   */
  change(sql: string, values: readonly Value[], limit?: number): Promise<number | null>
  /** Makes a change in two statements. The second has the same time limit and returns a row; `null` if no row matched. */
  changeRow<Row>(before: Part, after: Part): Promise<Row | null>
  close(): Promise<void>
}

const deadlock = 1213
const duplicate = 1062

const serverTime = 'unix_timestamp(sysdate(3)) * 1000'
const measureEveryMs = 10_000

export interface MariadbOptions {
  /** `mysql://user:password@host:3306/database` */
  readonly url: string
  /**
   * How long a call may take, in milliseconds.
   * @default 250
   */
  readonly deadlineMs?: number
  /** The clock, for tests. Default: an estimate of the server's. */
  readonly now?: () => number
}

/** Creates a client with its own pool. */
export function createMariadbClient({ url, deadlineMs = 250, now: given }: MariadbOptions): MariadbClient {
  // With FOUND_ROWS an update counts the rows that it found; without, those that it made different.
  const pool = createPool({ uri: url, flags: ['FOUND_ROWS'], charset: 'utf8mb4_bin', connectionLimit: 20 })
  const settings = `set statement max_statement_time = ${deadlineMs / 1000}, time_zone = '+00:00' for `
  let offsetMs = Date.now() - performance.now()
  let measuredAt = Number.NEGATIVE_INFINITY
  const now = given ?? (() => Math.trunc(performance.now() + offsetMs))
  const bind = (values: readonly Value[]) => values.map((value) => (value === storeTime ? now() : value))

  async function query<Result extends RowDataPacket[] | ResultSetHeader>(
    sql: string,
    values: readonly Value[],
    endAt: number,
  ): Promise<Result> {
    const connection = await connect(endAt)
    try {
      const [result] = await before(endAt, connection.query<Result>(settings + sql, bind(values)))
      connection.release()
      return result
    } catch (error) {
      // Without an answer of the server, the next one on this connection could be that of this statement.
      if (errorNumber(error) === null) connection.destroy()
      else connection.release()
      throw error
    }
  }

  async function connect(endAt: number): Promise<PoolConnection> {
    const connecting = pool.getConnection()
    return before(endAt, connecting).catch((error: unknown) => {
      // The one that comes too late goes back to the pool.
      connecting.then(
        (late) => late.release(),
        () => {},
      )
      throw error
    })
  }

  /** Runs a call with its deadline, the time of the server and a retry after a deadlock. */
  async function call<Result>(act: (endAt: number) => Promise<Result>): Promise<Result> {
    const endAt = performance.now() + deadlineMs
    try {
      if (performance.now() - measuredAt > measureEveryMs) await measure(endAt)
      for (;;) {
        try {
          return await act(endAt)
        } catch (error) {
          if (errorNumber(error) !== deadlock || performance.now() >= endAt) throw error
        }
      }
    } catch (cause) {
      throw new StoreError('STORE_UNAVAILABLE', 'the database failed or did not answer in time', { cause })
    }
  }

  async function measure(endAt: number): Promise<void> {
    const sentAt = performance.now()
    const [row] = await query<RowDataPacket[]>(`select ${serverTime} as time`, [], endAt)
    measuredAt = performance.now()
    offsetMs = Number(row?.time) - (sentAt + measuredAt) / 2
  }

  /** The last instant, by the clock of the server, at which a statement may begin. */
  const latest = (endAt: number) => Math.trunc(endAt - deadlineMs / 4 + offsetMs)

  /** No rows may mean that the statement came too late by the clock of the server, which is no answer. */
  async function wasInTime(notAfter: number, endAt: number): Promise<void> {
    const [row] = await query<RowDataPacket[]>(`select ${serverTime} < ? as yes`, [notAfter], endAt)
    if (Number(row?.yes) === 1) return
    measuredAt = Number.NEGATIVE_INFINITY
    throw new Error('the statement reached the server too late, or the clock of the server was set')
  }

  return {
    now,
    read: (sql, values) => call(async (endAt) => (await query<RowDataPacket[]>(sql, values, endAt)) as never),
    changeRow: ([first, firstValues], [second, secondValues]) =>
      call(async (endAt) => {
        const notAfter = latest(endAt)
        const statement = `${first} and ${serverTime} < ? ${second}`
        const [row] = await query<RowDataPacket[]>(statement, [...firstValues, notAfter, ...secondValues], endAt)
        if (!row) await wasInTime(notAfter, endAt)
        return (row ?? null) as never
      }),
    change: (sql, values, limit) =>
      call(async (endAt) => {
        const notAfter = latest(endAt)
        const [tail, last] = limit === undefined ? ['', []] : [' limit ?', [limit]]
        try {
          const statement = `${sql} and ${serverTime} < ?${tail}`
          const { affectedRows } = await query<ResultSetHeader>(statement, [...values, notAfter, ...last], endAt)
          if (affectedRows === 0) await wasInTime(notAfter, endAt)
          return affectedRows
        } catch (error) {
          if (errorNumber(error) === duplicate) return null
          throw error
        }
      }),
    async close() {
      // It passes on what prevented the last connection, and of one that was never made there is nothing to close.
      await pool.end().catch(() => null)
    },
  }
}

/** Rejects at that time of `performance.now`, even if the call is still running. */
async function before<Result>(endAt: number, call: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer before the deadline')), Math.max(0, endAt - performance.now()))
  })
  try {
    return await Promise.race([call, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The number of an error of the server; null for errors of the driver and the network. */
function errorNumber(error: unknown): number | null {
  const { errno, sqlState } = error as { errno?: unknown; sqlState?: unknown }
  return typeof errno === 'number' && typeof sqlState === 'string' ? errno : null
}
