import type { DatabaseSync } from 'node:sqlite'
import { canonicalEmail } from '@latchkey/accounts'
import { describeHash } from '@latchkey/password'
import { addedColumns } from './users-table.ts'

/** The result of a move. */
export interface MovedUsers {
  readonly moved: number
  /** Rows that cannot sign in until an administrator has decided about them, by their id. They are as they were. */
  readonly left: readonly { readonly id: number; readonly why: 'no-address' | 'address-taken' | 'unknown-hash' }[]
}

/**
 * Fills in the account columns of every row, in one transaction. A repeated run moves only new rows. Passwords are kept: each
 * hash is renewed when its owner signs in.
 */
export function moveUsers(database: DatabaseSync): MovedUsers {
  database.exec('begin immediate')
  try {
    addColumns(database)
    const outcome = moveRows(database)
    // From here on the database decides who has an address.
    database.exec(`create unique index if not exists users_account_id on users (account_id);
      create unique index if not exists users_address on users (mail) where account_id is not null`)
    database.exec('commit')
    return outcome
  } catch (error) {
    database.exec('rollback')
    throw error
  }
}

function addColumns(database: DatabaseSync): void {
  const there = new Set(
    database
      .prepare('pragma table_info(users)')
      .all()
      .map(({ name }) => name),
  )
  for (const [name, definition] of Object.entries(addedColumns)) {
    if (!there.has(name)) database.exec(`alter table users add column ${name} ${definition}`)
  }
}

function moveRows(database: DatabaseSync): MovedUsers {
  const rows = database
    .prepare('select id, mail, pw, is_admin, is_active from users where account_id is null order by id')
    .all()
  const taken = new Set(
    database
      .prepare('select mail from users where account_id is not null')
      .all()
      .map(({ mail }) => mail),
  )
  const update = database.prepare('update users set account_id = ?, mail = ?, roles = ?, status = ? where id = ?')
  const left: MovedUsers['left'][number][] = []
  for (const row of rows) {
    const id = Number(row.id)
    const email = canonicalEmail(String(row.mail))
    const why = refusalOf(email, row.pw, taken)
    if (email === null || why !== null) {
      left.push({ id, why: why ?? 'no-address' })
      continue
    }
    taken.add(email)
    const roles = JSON.stringify([row.is_admin ? 'ADMIN' : 'MEMBER'])
    // The id of an account is never used again, and neither is one of `autoincrement`.
    update.run(`user_${id}`, email, roles, row.is_active ? 'active' : 'disabled', id)
  }
  return { moved: rows.length - left.length, left }
}

function refusalOf(
  email: string | null,
  hash: unknown,
  taken: ReadonlySet<unknown>,
): 'no-address' | 'address-taken' | 'unknown-hash' | null {
  if (email === null) return 'no-address'
  // Two rows that differ in case only: which of the two people has it is not for a program to say.
  if (taken.has(email)) return 'address-taken'
  // Without a hash the owner asks for a new password; with one that nothing verifies there would be no telling why it is wrong.
  return hash === null || describeHash(String(hash)) !== null ? null : 'unknown-hash'
}
