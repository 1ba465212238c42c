import type { AccountChange, AccountStore, StoredAccount } from '@latchkey/accounts'
import { StoreError } from '@latchkey/store'
import { readPage } from '../statements/read-page.ts'
import type { SqlExecutor, SqlRow, SqlValue } from '../statements/sql-executor.ts'

const accountColumns = 'id, email, name, roles, status, password_hash, epoch, kept_key, enrolled'
const insert = `insert into latchkey_accounts (${accountColumns}) values ($1, $2, $3, $4, $5, $6, $7, null, '[]')
on conflict do nothing returning id`
const get = `select ${accountColumns} from latchkey_accounts where id = $1`
const getByEmail = `select ${accountColumns} from latchkey_accounts where email = $1`
const remove = 'delete from latchkey_accounts where id = $1 and epoch = coalesce($2, epoch) returning id'
const list = `select ${accountColumns} from latchkey_accounts where id > $1 order by id limit $2`
const listMatching = `select ${accountColumns} from latchkey_accounts where id > $1 and (
  email like $3 escape '\\' or lower(name) like $3 escape '\\' or lower(id) like $3 escape '\\'
) order by id limit $2`

// From one list of roles to the next by the index, and of each the first and the last account: however many accounts there are.
const listRoleHolders = `with recursive held (roles) as (
  select min(roles) from latchkey_accounts where status = 'active'
  union all
  select (select min(roles) from latchkey_accounts where status = 'active' and roles > held.roles)
  from held where held.roles is not null
)
select ${accountColumns} from latchkey_accounts where id in (
  select (select min(id) from latchkey_accounts where status = 'active' and roles = held.roles) from held
  union select (select max(id) from latchkey_accounts where status = 'active' and roles = held.roles) from held
) order by id`

export function createSqlAccountStore({ run, listed }: SqlExecutor): Omit<AccountStore, 'reservations' | 'identities'> {
  const getMany = `select ${accountColumns} from latchkey_accounts where id in (${listed})`
  return {
    async insert({ id, email, name, roles, status, passwordHash, epoch }) {
      const values = [id, email, name, JSON.stringify(roles), status, passwordHash, epoch]
      return (await run(insert, values)).length === 1
    },
    async get(id) {
      const [row] = await run(get, [id])
      return row ? readAccount(row) : null
    },
    async getMany(ids) {
      const rows = await run(getMany, [JSON.stringify(ids.filter(isStorable))])
      return rows.map(readAccount)
    },
    async getByEmail(email) {
      const [row] = await run(getByEmail, [email])
      return row ? readAccount(row) : null
    },
    async replace(id, expected, next) {
      const [statement, values] = writeReplace(id, expected, next)
      return (await run(statement, values)).length === 1
    },
    async remove(id, expected) {
      return (await run(remove, [id, expected?.epoch ?? null])).length === 1
    },
    async listRoleHolders() {
      return (await run(listRoleHolders, [])).map(readAccount)
    },
    async list(page) {
      return readPage(
        page,
        readAccount,
        ({ id }) => id,
        (after, limit) => {
          const pattern = patternOf(page?.text)
          return pattern === null ? run(list, [after, limit]) : run(listMatching, [after, limit, pattern])
        },
      )
    },
  }
}

/** Whether a database can have the text: within JSON it would fail the statement for all others. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/**
 * Returns the pattern of an ASCII text, or `null` for any other text: databases differ in `lower` for other letters, so
 * the caller compares the texts itself.
 */
function patternOf(text = ''): string | null {
  return /^[\x20-\x7e]+$/.test(text) ? `%${text.replace(/[\\%_]/g, '\\$&')}%` : null
}

/** Returns the compare and swap of these fields: column names come from this file, values are parameters. */
function writeReplace(
  id: string,
  expected: AccountChange,
  next: AccountChange,
): readonly [string, readonly SqlValue[]] {
  // A raise of the epoch that names no key keeps none.
  const keptKey = next.epoch === undefined ? next.keptKey : (next.keptKey ?? null)
  const [compared, set] = [writeFields(expected), writeFields({ ...next, ...(keptKey !== undefined && { keptKey }) })]
  const conditions = compared.map(([column], index) => ` and ${column} is not distinct from $${index + 2}`)
  const assignments = set.map(([column], index) => `${column} = $${index + 2 + compared.length}`)
  // A swap that sets nothing still compares the expected values.
  const sets = assignments.join(', ') || 'epoch = epoch'
  const statement = `update latchkey_accounts set ${sets} where id = $1${conditions.join('')} returning id`
  return [statement, [id, ...[...compared, ...set].map(([, value]) => value)]]
}

function writeFields(change: AccountChange): readonly [string, SqlValue][] {
  const { email, name, roles, status, passwordHash, epoch, keptKey, enrolled } = change
  const fields: readonly [string, SqlValue | undefined][] = [
    ['email', email],
    ['name', name],
    ['roles', roles && JSON.stringify(roles)],
    ['status', status],
    ['password_hash', passwordHash],
    ['epoch', epoch],
    ['kept_key', keptKey],
    ['enrolled', enrolled && JSON.stringify(enrolled)],
  ]
  return fields.flatMap(([column, value]) => (value === undefined ? [] : [[column, value]]))
}

function readAccount(row: SqlRow): StoredAccount {
  return {
    id: String(row.id),
    email: String(row.email),
    name: String(row.name),
    roles: readList(row.roles),
    // The table allows no other value.
    status: String(row.status) as StoredAccount['status'],
    passwordHash: row.password_hash === null ? null : String(row.password_hash),
    epoch: Number(row.epoch),
    keptKey: row.kept_key === null ? null : String(row.kept_key),
    enrolled: readList(row.enrolled),
  }
}

/**
 * Returns the list of a column.
 *
 * @throws StoreError `STORE_DATA_INVALID` if it is not a list; the message does not quote it.
 */
export function readList(column: unknown): readonly string[] {
  if (column === '[]') return []
  try {
    const list: unknown = JSON.parse(String(column))
    if (Array.isArray(list)) return list
  } catch {}
  throw new StoreError('STORE_DATA_INVALID', 'a list of an account is not as it is stored')
}
