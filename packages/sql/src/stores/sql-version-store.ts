import type { VersionStore } from '@latchkey/store'
import type { SqlExecutor } from '../statements/sql-executor.ts'

const read = "select value from latchkey_settings where name = 'stored-version'"
const raise = "update latchkey_settings set value = $1 where name = 'stored-version' and value < $1 returning value"

export function createSqlVersionStore({ run }: SqlExecutor): VersionStore {
  const get = async (): Promise<number> => Number((await run(read, []))[0]?.value ?? 0)
  return {
    get,
    async raise(version) {
      const [row] = await run(raise, [version])
      return row ? Number(row.value) : get()
    },
  }
}
