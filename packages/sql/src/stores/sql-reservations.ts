import type { AddressReservations, ReservedAddress } from '@latchkey/accounts'
import type { SqlExecutor, SqlRow } from '../statements/sql-executor.ts'

// The triggers of the table of accounts write the rest: see the migrations.
/** With the row of the account locked, as a change of it does: one that is under way is waited for, and its outcome counts. */
const writeReserve = (
  lock: string,
): string => `insert into latchkey_addresses (email, account_id, since, reserved_until)
select email, id, cast($3 as bigint), cast($4 as bigint) from latchkey_accounts
where email = $1 and id = $2 and epoch = $5${lock}
on conflict (email) do update set
  since = case when latchkey_addresses.reserved_until > excluded.since and latchkey_addresses.since < excluded.since
    then latchkey_addresses.since else excluded.since end,
  reserved_until = case when latchkey_addresses.reserved_until > excluded.reserved_until
    then latchkey_addresses.reserved_until else excluded.reserved_until end
where latchkey_addresses.account_id = excluded.account_id
returning email`
const columns = 'email, account_id, since, reserved_until'
const listByAccount = `select ${columns} from latchkey_addresses
where account_id = $1 and reserved_until > $2 order by since, email`
const find = `select ${columns} from latchkey_addresses where email = $1 and reserved_until > $2`
const release = `delete from latchkey_addresses where reserved_until <= $1 and not exists (
  select 1 from latchkey_accounts where latchkey_accounts.email = latchkey_addresses.email
) returning email`

export function createSqlReservations({ run, rowLocks }: SqlExecutor): AddressReservations {
  const reserve = writeReserve(rowLocks.wait)
  return {
    async reserve({ email, accountId, since, until }, epoch) {
      return (await run(reserve, [email, accountId, since, until, epoch])).length === 1
    },
    async listByAccount(accountId, now) {
      return (await run(listByAccount, [accountId, now])).map(readReserved)
    },
    async find(email, now) {
      const [row] = await run(find, [email, now])
      return row ? readReserved(row) : null
    },
    async release(now) {
      await run(release, [now])
    },
  }
}

function readReserved(row: SqlRow): ReservedAddress {
  return {
    email: String(row.email),
    accountId: String(row.account_id),
    since: Number(row.since),
    until: Number(row.reserved_until),
  }
}
