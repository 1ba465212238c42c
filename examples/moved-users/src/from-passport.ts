import type { DatabaseSync } from 'node:sqlite'
import type { AccountStore } from '@latchkey/accounts'
import { type MovedUsers, moveAccount, moveAll, type OldUser } from './move-account.ts'

/**
 * Moves the users of an application with `passport-local`. Passport defines no table: the query reads the table of its
 * tutorial, with the address in the column `username`. The old table is only read.
 */
export function moveFromPassport(database: DatabaseSync, accounts: AccountStore): Promise<MovedUsers> {
  const rows = database.prepare('select id, username, name, hashed_password, salt from users order by id').all()
  return moveAll(rows.map(toUser), (user) => moveAccount(accounts, user))
}

function toUser({ id, username, name, hashed_password, salt }: Readonly<Record<string, unknown>>): OldUser {
  return {
    id: `user_${id}`,
    email: String(username),
    name: String(name ?? username),
    roles: ['MEMBER'],
    status: 'active',
    passwordHash: writeHash(hashed_password, salt),
  }
}

/**
 * Returns a hash in the notation that `@latchkey/password` reads. A hash of bcrypt is a text and is not changed. The
 * tutorial stores two blobs: the salt and the result of `crypto.pbkdf2(password, salt, 310000, 32, 'sha256')`.
 */
function writeHash(hash: unknown, salt: unknown): string | null {
  if (hash === null) return null
  if (!(hash instanceof Uint8Array) || !(salt instanceof Uint8Array)) return String(hash)
  const [saltText, hashText] = [salt, hash].map((bytes) => Buffer.from(bytes).toString('base64').replace(/=+$/, ''))
  return `$pbkdf2-sha256$i=310000$${saltText}$${hashText}`
}
