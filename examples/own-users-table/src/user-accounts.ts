import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { AccountChange, AccountStore, StoredAccount } from '@latchkey/accounts'
import { StoreError } from '@latchkey/store'

type Row = Readonly<Record<string, unknown>>

const columns = 'id, account_id, mail, full_name, roles, status, pw, epoch, kept_key, enrolled'

/**
 * Creates accounts in the table `users`, with one statement for each method; `describeAccountStore` proves it. Rows without
 * an `account_id` were not moved, and are not accounts.
 */
export function createUserAccounts(database: DatabaseSync): AccountStore {
  const run = (sql: string, values: readonly SQLInputValue[]): readonly Row[] =>
    answered(() => database.prepare(sql).all(...values))
  return {
    isInMemory: () => database.location() === null,
    async insert({ id, email, name, roles, status, passwordHash, epoch }) {
      const values = [id, email, name, JSON.stringify(roles), status, passwordHash, epoch]
      const sql = `insert into users (account_id, mail, full_name, roles, status, pw, epoch) values (?, ?, ?, ?, ?, ?, ?)
        on conflict do nothing returning id`
      return run(sql, values).length === 1
    },
    async get(id) {
      const [row] = run(`select ${columns} from users where account_id = ?`, [id])
      return row ? readAccount(row) : null
    },
    async getMany(ids) {
      const sql = `select ${columns} from users where account_id in (select value from json_each(?))`
      return run(sql, [JSON.stringify(ids)]).map(readAccount)
    },
    async getByEmail(email) {
      const [row] = run(`select ${columns} from users where mail = ? and account_id is not null`, [email])
      return row ? readAccount(row) : null
    },
    async replace(id, expected, next) {
      const [sql, values] = writeReplace(id, expected, next)
      return run(sql, values).length === 1
    },
    async remove(id, expected) {
      const sql = 'delete from users where account_id = ? and epoch = coalesce(?, epoch) returning id'
      return run(sql, [id, expected?.epoch ?? null]).length === 1
    },
    async list({ limit = 100, cursor = '0' } = {}) {
      if (!(limit >= 1)) throw new TypeError('"limit" must be at least 1')
      const sql = `select ${columns} from users where id > ? and account_id is not null order by id limit ?`
      const rows = run(sql, [Number(cursor), limit + 1])
      const items = rows.slice(0, limit)
      const last = items.at(-1)
      return { items: items.map(readAccount), ...(rows.length > limit && last && { cursor: String(last.id) }) }
    },
  }
}

/**
 * Builds a compare-and-swap statement; names of columns come from this file alone. If another account has the address, the
 * statement changes no row.
 */
function writeReplace(
  id: string,
  expected: AccountChange,
  next: AccountChange,
): readonly [string, readonly SQLInputValue[]] {
  // A raise of the epoch that names no key keeps none.
  const keptKey = next.epoch === undefined ? next.keptKey : (next.keptKey ?? null)
  const set = writeFields({ ...next, ...(keptKey !== undefined && { keptKey }) })
  const compared = writeFields(expected)
  const sets = set.map(([column]) => `${column} = ?`).join(', ') || 'epoch = epoch'
  const conditions = compared.map(([column]) => ` and ${column} is ?`).join('')
  const sql = `update or ignore users set ${sets} where account_id = ?${conditions} returning id`
  return [sql, [...set.map(([, value]) => value), id, ...compared.map(([, value]) => value)]]
}

function writeFields(change: AccountChange): readonly [column: string, value: SQLInputValue][] {
  const { email, name, roles, status, passwordHash, epoch, keptKey, enrolled } = change
  const fields: readonly [string, SQLInputValue | undefined][] = [
    ['mail', email],
    ['full_name', name],
    ['roles', roles && JSON.stringify(roles)],
    ['status', status],
    ['pw', passwordHash],
    ['epoch', epoch],
    ['kept_key', keptKey],
    ['enrolled', enrolled && JSON.stringify(enrolled)],
  ]
  return fields.flatMap(([column, value]) => (value === undefined ? [] : [[column, value]]))
}

function readAccount(row: Row): StoredAccount {
  return {
    id: String(row.account_id),
    email: String(row.mail),
    name: String(row.full_name),
    roles: JSON.parse(String(row.roles)),
    status: row.status as StoredAccount['status'],
    passwordHash: row.pw === null ? null : String(row.pw),
    epoch: Number(row.epoch),
    keptKey: row.kept_key === null ? null : String(row.kept_key),
    enrolled: JSON.parse(String(row.enrolled)),
  }
}

/** A database that does not answer is 503, and no verdict about an account. */
function answered(work: () => readonly Row[]): readonly Row[] {
  try {
    return work()
  } catch (cause) {
    throw new StoreError('STORE_UNAVAILABLE', 'the table of users did not answer', { cause })
  }
}
