import type { DenialStore } from '@latchkey/jwt'
import { removeChosen } from '../statements/remove-chosen.ts'
import type { SqlExecutor } from '../statements/sql-executor.ts'
import { createSweepAtTimes } from '../statements/sweep-at-times.ts'

const deny = `insert into latchkey_denials (id, expires_at) values ($1, $2) on conflict (id) do update set expires_at =
case when excluded.expires_at > latchkey_denials.expires_at then excluded.expires_at else latchkey_denials.expires_at end
returning id`
const expired = 'select id from latchkey_denials where expires_at <= $1 order by expires_at limit $2'

export function createSqlDenialStore({ run, rowLocks }: SqlExecutor): DenialStore {
  const sweepAtTimes = createSweepAtTimes(run, removeChosen('latchkey_denials', 'id', expired + rowLocks.skip))
  return {
    async deny(id, until) {
      await run(deny, [id, until])
      await sweepAtTimes()
    },
    async isAnyDenied(ids) {
      if (ids.length === 0) return false
      const places = ids.map((_id, index) => `$${index + 1}`).join(', ')
      return (await run(`select id from latchkey_denials where id in (${places}) limit 1`, ids)).length > 0
    },
  }
}
