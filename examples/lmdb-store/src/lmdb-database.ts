// What the stores need of LMDB: a transaction that no other process overlaps, with a deadline, and reads of what is
// committed. LMDB runs in the process: there is no server, and no clock but that of the machine.
import { createHash } from 'node:crypto'
import type { ReservedAddress, StoredAccount } from '@latchkey/accounts'
import { type StoredAuditRow, type StoredDocument, type StoredRecord, StoreError } from '@latchkey/store'
import { type Database, open } from 'lmdb'

export interface LmdbOptions {
  /** A folder on a local disk. It is created when it is absent. */
  readonly path: string
  /**
   * How long a call may take, in milliseconds.
   * @default 250
   */
  readonly deadlineMs?: number
  /** The clock, for tests. Default: the clock of the machine. */
  readonly now?: () => number
}

export interface LmdbCounter {
  readonly count: number
  readonly resetAt: number
}

/** Chains are listed in the order of their names, which are short enough for a key. */
export type AuditPlace = [chain: string, sequence: number]

export interface LmdbAuditHead {
  readonly sequence: number
  readonly at: number
  readonly value: string
}

/** The tables. A text that a caller chose is the hash of it in a key, so that no length and no character is wrong. */
export interface LmdbTables {
  readonly records: Database<StoredRecord, string>
  readonly recordOwners: Database<true, [owner: string, key: string]>
  readonly recordEnds: Database<true, [expiresAt: number, key: string]>
  readonly counters: Database<LmdbCounter, string>
  readonly counterEnds: Database<true, [resetAt: number, key: string]>
  readonly documents: Database<StoredDocument, [collection: string, id: string]>
  readonly documentOwners: Database<true, [owner: string, collection: string, id: string]>
  readonly accounts: Database<StoredAccount, string>
  /** The ids of accounts by their addresses, both as hashes. */
  readonly emails: Database<string, string>
  readonly reservations: Database<ReservedAddress, string>
  readonly reservationOwners: Database<true, [accountId: string, email: string]>
  readonly reservationEnds: Database<true, [until: number, email: string]>
  readonly audit: Database<StoredAuditRow, AuditPlace>
  readonly auditHeads: Database<LmdbAuditHead, string>
  readonly auditHeadTimes: Database<true, [at: number, chain: string]>
  /** The rows of an account; an empty name has the rows of all accounts. */
  readonly auditTimes: Database<true, [accountId: string, at: number, ...AuditPlace]>
  readonly auditEntries: Database<true, [entry: string, ...AuditPlace]>
}

export interface LmdbDatabase {
  /** Reads what any process has committed. */
  read<Answer>(act: (tables: LmdbTables) => Answer): Promise<Answer>
  /** Reads and writes while no other process writes. An error undoes all writes. They are on the disk when this resolves. */
  change<Answer>(act: (tables: LmdbTables) => Answer): Promise<Answer>
  now(): number
  close(): Promise<void>
}

/** Opens a database with the first call, so that one that cannot be opened is an outage of each call. */
export function createLmdbDatabase({ path, deadlineMs = 250, now = Date.now }: LmdbOptions): LmdbDatabase {
  let opened: ReturnType<typeof openTables> | undefined
  const database = () => {
    opened ??= openTables(path)
    return opened
  }

  return {
    now,
    read: (act) =>
      orOutage(async () => {
        const { root, tables } = database()
        // Otherwise a read sees the snapshot with which this turn of the event loop has begun.
        root.resetReadTxn()
        return act(tables)
      }),
    change: (act) =>
      orOutage(async () => {
        const { root, tables } = database()
        const endAt = performance.now() + deadlineMs
        // Leaves time to commit: what is reported as failed must not happen later.
        const notAfter = endAt - deadlineMs / 4
        const changing = root.childTransaction(() => {
          if (performance.now() > notAfter) throw new Error('another process held the lock for too long')
          return act(tables)
        })
        return before(endAt, changing)
      }),
    close: async () => opened?.root.close(),
  }
}

function openTables(path: string) {
  const root = open({ path, encoding: 'json', maxDbs: 32 })
  const table = <Row, Key extends string | (string | number)[]>(name: string) =>
    root.openDB<Row, Key>({ name, encoding: 'json' })
  const tables: LmdbTables = {
    records: table('records'),
    recordOwners: table('record-owners'),
    recordEnds: table('record-ends'),
    counters: table('counters'),
    counterEnds: table('counter-ends'),
    documents: table('documents'),
    documentOwners: table('document-owners'),
    accounts: table('accounts'),
    emails: table('emails'),
    reservations: table('reservations'),
    reservationOwners: table('reservation-owners'),
    reservationEnds: table('reservation-ends'),
    audit: table('audit'),
    auditHeads: table('audit-heads'),
    auditHeadTimes: table('audit-head-times'),
    auditTimes: table('audit-times'),
    auditEntries: table('audit-entries'),
  }
  return { root, tables }
}

export function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Comes after every hash and every collection. */
export const last = '~'

async function orOutage<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call()
  } catch (cause) {
    throw new StoreError('STORE_UNAVAILABLE', 'the database failed or was locked for too long', { cause })
  }
}

/** Rejects at that time of `performance.now` if the call is still pending. */
async function before<Answer>(endAt: number, call: Promise<Answer>): Promise<Answer> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer before the deadline')), endAt - performance.now())
  })
  try {
    return await Promise.race([call, late])
  } finally {
    clearTimeout(timer)
  }
}
