import type { ProfileStore } from '@latchkey/accounts'
import type { SqlExecutor } from '../statements/sql-executor.ts'

const rename = 'update latchkey_accounts set name = $2 where id = $1 returning id'

export function createSqlProfileStore({ run }: SqlExecutor): ProfileStore {
  return {
    async rename(id, name) {
      return (await run(rename, [id, name])).length === 1
    },
  }
}
