import type { LockoutStore } from '@latchkey/store'
import type { SqlExecutor } from '../statements/sql-executor.ts'

const fail = `insert into latchkey_lockouts (account_id, factor, failures) values ($1, $2, 1)
on conflict (account_id, factor) do update set failures = latchkey_lockouts.failures + 1 returning failures`
const count = 'select failures from latchkey_lockouts where account_id = $1 and factor = $2'
const clear = 'delete from latchkey_lockouts where account_id = $1 and factor = $2 returning factor'

export function createSqlLockoutStore({ run }: SqlExecutor): LockoutStore {
  return {
    async fail(accountId, factor) {
      return Number((await run(fail, [accountId, factor]))[0]?.failures)
    },
    async count(accountId, factor) {
      return Number((await run(count, [accountId, factor]))[0]?.failures ?? 0)
    },
    async clear(accountId, factor) {
      await run(clear, [accountId, factor])
    },
  }
}
