import type { IdentityStore, StoredIdentity } from '@latchkey/accounts'
import type { SqlParameter } from '../statements/sql-executor.ts'
import { identityRead, readIdentityRow } from '../stores/sql-identity-store.ts'
import { keyPlaces } from '../stores/sql-record-store.ts'
import type { RunAtOnce, SqliteConnection } from './sqlite-connection.ts'
import { isBusy, toStoreError } from './sqlite-error.ts'

interface Kept {
  readonly denialIds: readonly string[]
  readonly stored: StoredIdentity
}

/** A caller that waits for what its key names. */
interface Asked {
  readonly key: string
  readonly denialIds: readonly string[]
  readonly resolve: (stored: StoredIdentity | null) => void
  readonly reject: (error: unknown) => void
}

/** The row of one key cannot be read; what stands behind the others can. */
class Unreadable {
  readonly error: unknown

  constructor(error: unknown) {
    this.error = error
  }
}

type Answer = StoredIdentity | Unreadable | null

/** What was read, and what SQLite said of the database just before. */
interface State {
  /** Changed by every commit of another connection, in this process or not (`pragma data_version`). */
  others: unknown
  /** Raised by every row that this connection has changed (`total_changes`); `null`: not asked since the last doubt. */
  own: number | null
  readonly kept: Map<string, Kept>
}

const readOthers = 'pragma data_version'
const readOwn = 'select total_changes() as own'
const keptAtMost = 10_000

/** Where fewer of so many reads than a third are answered by what was kept, asking costs more than it saves: for so many more nothing is kept. */
const judged = 256
const judgedAgainAfter = 4_096

/** Tables of which an identity is read. */
const isOfIdentities = /latchkey_(?:records|accounts|denials)\b/

/**
 * Returns a reader that keeps what it has read, and asks SQLite before each use whether anything in the database has changed
 * since: it is never older than a read. Callers that ask before the queue of promises is empty are answered together, by one question
 * after the last of them. The expiry is compared with the clock each time. Nothing is kept where the driver
 * does not say whether a transaction is open, whose end may undo what was read in it.
 */
export function createUnchangedIdentities(
  connection: Pick<SqliteConnection, 'together' | 'onChange'>,
  now: () => number,
): IdentityStore['readIdentity'] {
  const state: State = { others: undefined, own: null, kept: new Map() }
  const worth = createWorth()
  connection.onChange((run, statement, parameters) => {
    if (state.own === null) return run(statement, parameters)
    const before = askOwn(run)
    const rows = run(statement, parameters)
    noteChange(state, { statement, parameters, changed: rows.length, before, after: askOwn(run) })
    return rows
  })
  const answerAll = (all: readonly Asked[], run: RunAtOnce, isSettled: boolean): readonly Answer[] => {
    let isAsked = false
    return all.map((asked) => {
      if (!isSettled || !worth.isWorth()) return readFromTables(run, asked)
      if (!isAsked) forgetChanged(state, run)
      isAsked = true
      const known = findKept(state, asked)
      worth.note(known !== null)
      if (known) return known.record.expiresAt > now() ? known : null
      return keep(state, asked, readFromTables(run, asked))
    })
  }
  let waiting: Asked[] = []
  const flush = async (): Promise<void> => {
    const all = waiting
    waiting = []
    try {
      const answers = await connection.together((run, isSettled) => answerAll(all, run, isSettled))
      for (const [place, asked] of all.entries()) settle(asked, answers[place] ?? null)
    } catch (error) {
      for (const { reject } of all) reject(error)
    }
  }
  return (key, denialIds = []) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ key, denialIds, resolve, reject }) === 1) void settled.then(flush)
    })
}

const settled = Promise.resolve()

function settle({ resolve, reject }: Asked, answer: Answer): void {
  if (answer instanceof Unreadable) reject(toStoreError(answer.error))
  else resolve(answer)
}

function readFromTables(run: RunAtOnce, { key, denialIds }: Asked): Answer {
  try {
    const [row] = run(...identityRead(key, denialIds))
    return row ? readIdentityRow(key, row) : null
  } catch (error) {
    // While another connection holds the lock all of them are asked for again.
    if (isBusy(error)) throw error
    return new Unreadable(error)
  }
}

/** Asks SQLite whether anything has changed, and forgets what was kept where it has. */
function forgetChanged(state: State, run: RunAtOnce): void {
  const own = readOwnChanges(run)
  const others = run(readOthers, [])[0]?.data_version
  if (others !== state.others || own !== state.own) state.kept.clear()
  state.others = others
  state.own = own
}

function findKept({ kept }: State, { key, denialIds }: Asked): StoredIdentity | null {
  const known = kept.get(key)
  return known && areSame(known.denialIds, denialIds) ? known.stored : null
}

interface Change {
  readonly statement: string
  readonly parameters: readonly SqlParameter[]
  /** How many rows it returned, which are those that it changed. */
  readonly changed: number
  /** What this connection had changed before it, and after it. */
  readonly before: number | null
  readonly after: number | null
}

/**
 * A change of the stores themselves is known to concern one record, or none; where more rows have changed, as by a trigger, others
 * may have, and so where the application has changed some before.
 */
function noteChange(state: State, { statement, parameters, changed, before, after }: Change): void {
  const place = keyPlaces.get(statement)
  const isKnown = before !== null && before === state.own && after === before + changed
  if (!isKnown || (place === undefined && isOfIdentities.test(statement))) state.kept.clear()
  else if (place !== undefined) state.kept.delete(String(parameters[place]))
  state.own = after
}

/** A change must not fail with what is asked beside it. */
function askOwn(run: RunAtOnce): number | null {
  try {
    return readOwnChanges(run)
  } catch {
    return null
  }
}

function readOwnChanges(run: RunAtOnce): number | null {
  const value = run(readOwn, [])[0]?.own
  return value === undefined ? null : Number(value)
}

function keep({ kept, others, own }: State, { key, denialIds }: Asked, read: Answer): Answer {
  if (read === null || read instanceof Unreadable || others === undefined || own === null) return read
  if (kept.size >= keptAtMost) kept.clear()
  kept.set(key, { denialIds, stored: freeze(read) })
  return read
}

/** The ids of a token are the same list for each of its requests. */
function areSame(known: readonly string[], asked: readonly string[]): boolean {
  return known === asked || (known.length === asked.length && known.every((id, index) => id === asked[index]))
}

/** Several requests get the same. */
function freeze(stored: StoredIdentity): StoredIdentity {
  const { account, record } = stored
  for (const shared of [account.roles, account.enrolled, account, record]) Object.freeze(shared)
  return Object.freeze(stored)
}

/** Counts how often keeping has spared a read: many sessions that others change all the time spare none. */
function createWorth(): { isWorth(): boolean; note(isSpared: boolean): void } {
  let [tried, spared, left] = [0, 0, 0]
  return {
    isWorth() {
      if (left > 0) left--
      return left === 0
    },
    note(isSpared) {
      if (isSpared) spared++
      if (++tried < judged) return
      if (spared * 3 < tried) left = judgedAgainAfter
      tried = spared = 0
    },
  }
}
