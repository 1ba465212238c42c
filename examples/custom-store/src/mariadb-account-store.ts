// Accounts on MariaDB. A change of an account is one statement: triggers write its addresses along, and a primary key
// decides whose an address is.
import type {
  AccountChange,
  AccountStore,
  AddressReservations,
  IdentityReads,
  ReservedAddress,
  StoredAccount,
  StoredIdentity,
} from '@latchkey/accounts'
import type { DocumentStore, RecordStore, StoredRecord } from '@latchkey/store'
import { type MariadbClient, storeTime, type Value } from './mariadb-client.ts'

const text = 'character set utf8mb4 collate utf8mb4_nopad_bin'

/** `moves` counts the swaps that set the address, because a trigger does not see which columns a statement sets. */
export const mariadbAccountSchema = `create table if not exists latchkey_accounts (
  id varchar(512) ${text} not null primary key,
  email varchar(254) ${text} not null unique,
  name text ${text} not null,
  roles text ${text} not null,
  status enum ('unverified', 'active', 'disabled', 'locked') not null,
  password_hash text ${text},
  epoch bigint not null,
  kept_key varchar(512) ${text},
  enrolled text ${text} not null,
  moves bigint not null default 0
) engine = InnoDB;
create table if not exists latchkey_addresses (
  email varchar(254) ${text} not null primary key,
  account_id varchar(512) ${text} not null,
  since bigint,
  reserved_until bigint,
  index latchkey_addresses_by_account (account_id)
) engine = InnoDB;
create trigger if not exists latchkey_address_taken after insert on latchkey_accounts for each row
  insert into latchkey_addresses (email, account_id) values (new.email, new.id);
create trigger if not exists latchkey_address_moved after update on latchkey_accounts for each row
if new.moves <> old.moves then
  if exists (select * from latchkey_addresses where email = new.email and account_id = new.id and reserved_until > 0) then
    delete from latchkey_addresses where account_id = new.id and email <> new.email;
  end if;
  delete from latchkey_addresses where email = new.email and account_id = new.id;
  insert into latchkey_addresses (email, account_id) values (new.email, new.id);
  delete from latchkey_addresses where email = old.email and email <> new.email and reserved_until is null;
end if;
create trigger if not exists latchkey_addresses_freed after delete on latchkey_accounts for each row
  delete from latchkey_addresses where account_id = old.id`

const columns = 'id, email, name, roles, status, password_hash as passwordHash, epoch, kept_key as keptKey, enrolled'
const reserved = 'email, account_id as accountId, since, reserved_until as until'

const statements = {
  insert: `insert into latchkey_accounts (id, email, name, roles, status, password_hash, epoch, enrolled)
    select ?, ?, ?, ?, ?, ?, ?, '[]' where true`,
  get: `select ${columns} from latchkey_accounts where id = ?`,
  getByEmail: `select ${columns} from latchkey_accounts where email = ?`,
  remove: 'delete from latchkey_accounts where id = ? and epoch = coalesce(?, epoch)',
  list: `select ${columns} from latchkey_accounts where id > ? order by id limit ?`,
  // It reads the account with a lock, and so waits for a change of it.
  reserve: `insert into latchkey_addresses (email, account_id, since, reserved_until)
    select email, id, ?, ? from latchkey_accounts where email = ? and id = ? and epoch = ?`,
  // The columns are set in this order: the first still sees the former end.
  extend: `on duplicate key update
    since = if(latchkey_addresses.reserved_until > values(since), least(latchkey_addresses.since, values(since)), values(since)),
    reserved_until = greatest(coalesce(latchkey_addresses.reserved_until, 0), values(reserved_until)) returning email`,
  listByAccount: `select ${reserved} from latchkey_addresses
    where account_id = ? and reserved_until > ? order by since, email`,
  find: `select ${reserved} from latchkey_addresses where email = ? and reserved_until > ?`,
  release: `delete from latchkey_addresses
    where reserved_until <= ? and email not in (select email from latchkey_accounts)`,
  identity: `select record_key as \`key\`, owner, version, expires_at as expiresAt, value,
      id, roles, status, epoch, kept_key as keptKey, enrolled,
      exists (select * from latchkey_documents as denial
        where denial.collection = 'denials' and denial.id in (?)) as isDenied
    from latchkey_records join latchkey_accounts on id = owner where record_key = ? and expires_at > ?`,
}

/** The columns of the fields that a swap may expect and set. */
const fields = {
  email: 'email',
  name: 'name',
  roles: 'roles',
  status: 'status',
  passwordHash: 'password_hash',
  epoch: 'epoch',
  keptKey: 'kept_key',
  enrolled: 'enrolled',
} as const satisfies Record<keyof AccountChange, string>

type Lists = Pick<StoredAccount, 'roles' | 'enrolled'>
/** Lists are JSON. */
type Row<Stored extends Lists> = Omit<Stored, keyof Lists> & Record<keyof Lists, string>

type IdentityRow = StoredRecord & Row<StoredIdentity['account']> & { readonly isDenied: number }

/** Creates an account store on the tables of `mariadbAccountSchema`. Other stores may use the same database. */
export function createMariadbAccountStore(
  client: MariadbClient,
  stores: { readonly records: RecordStore; readonly documents: DocumentStore },
): AccountStore {
  const { read, change } = client
  return {
    capabilities: { contract: 1 },
    async insert({ id, email, name, roles, status, passwordHash, epoch }) {
      const values = [id, email, name, JSON.stringify(roles), status, passwordHash, epoch]
      return (await change(statements.insert, values)) === 1
    },
    async get(id) {
      const [row] = await read<Row<StoredAccount>>(statements.get, [id])
      return row ? readLists(row) : null
    },
    async getByEmail(email) {
      const [row] = await read<Row<StoredAccount>>(statements.getByEmail, [email])
      return row ? readLists(row) : null
    },
    async replace(id, expected, next) {
      return (await change(...writeReplace(id, expected, next))) === 1
    },
    async remove(id, expected) {
      return (await change(statements.remove, [id, expected?.epoch ?? null])) === 1
    },
    // It lists all, whatever the text: callers filter.
    async list({ limit = 100, cursor = '' } = {}) {
      const rows = await read<Row<StoredAccount>>(statements.list, [cursor, limit + 1])
      const items = rows.slice(0, limit).map(readLists)
      return rows.length > limit ? { items, cursor: items.at(-1)?.id ?? '' } : { items }
    },
    reservations: createReservations(client),
    identities: createIdentityReads(client, stores),
  }
}

function createReservations({ read, change, changeRow }: MariadbClient): AddressReservations {
  return {
    async reserve({ email, accountId, since, until }, epoch) {
      const account = [since, until, email, accountId, epoch]
      return (await changeRow([statements.reserve, account], [statements.extend, []])) !== null
    },
    listByAccount: (accountId, now) => read<ReservedAddress>(statements.listByAccount, [accountId, now]),
    async find(email, now) {
      const [address] = await read<ReservedAddress>(statements.find, [email, now])
      return address ?? null
    },
    async release(now) {
      await change(statements.release, [now])
    },
  }
}

function createIdentityReads(
  { read }: MariadbClient,
  stores: Pick<IdentityReads, 'records' | 'documents'>,
): IdentityReads {
  return {
    ...stores,
    async read(name, denialIds = []) {
      // A list must not be empty.
      const [row] = await read<IdentityRow>(statements.identity, [[null, ...denialIds], name, storeTime])
      if (!row) return null
      const { key, owner, version, expiresAt, value, isDenied, ...account } = row
      return {
        record: { key, owner, version, expiresAt, value },
        account: readLists(account),
        isDenied: isDenied === 1,
      }
    },
  }
}

/** Returns the compare and swap of these fields. A raise of the epoch that names no key keeps none. */
function writeReplace(id: string, expected: AccountChange, next: AccountChange): [string, readonly Value[]] {
  const [compared, set] = [
    writeFields(expected),
    writeFields(next.epoch === undefined ? next : { keptKey: null, ...next }),
  ]
  const moves = next.email === undefined ? 'moves' : 'moves + 1'
  const assignments = [`moves = ${moves}`, ...set.map(([column]) => `${column} = ?`)]
  const conditions = ['id = ?', ...compared.map(([column]) => `${column} <=> ?`)]
  const sql = `update latchkey_accounts set ${assignments.join(', ')} where ${conditions.join(' and ')}`
  return [sql, [...set.map(([, value]) => value), id, ...compared.map(([, value]) => value)]]
}

function writeFields(change: AccountChange): readonly (readonly [column: string, value: Value])[] {
  return (Object.keys(fields) as (keyof AccountChange)[]).flatMap((field) => {
    const value = change[field]
    if (value === undefined) return []
    return [[fields[field], typeof value === 'object' && value !== null ? JSON.stringify(value) : value] as const]
  })
}

function readLists<Stored extends Row<Lists>>(row: Stored): Omit<Stored, keyof Lists> & Lists {
  return { ...row, roles: JSON.parse(row.roles), enrolled: JSON.parse(row.enrolled) }
}
