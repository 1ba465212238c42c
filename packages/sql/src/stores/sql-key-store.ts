import type { KeyStore, StoredKey } from '@latchkey/jwt'
import type { SqlExecutor, SqlRow } from '../statements/sql-executor.ts'

const insert = `insert into latchkey_keys (id, purpose, algorithm, sealed, created_at, retired_at)
values ($1, $2, $3, $4, $5, $6) on conflict (id) do nothing returning id`
const list = 'select id, purpose, algorithm, sealed, created_at, retired_at from latchkey_keys order by created_at, id'
const retire = 'update latchkey_keys set retired_at = $1 where id = $2 and retired_at is null returning id'
const remove = 'delete from latchkey_keys where id = $1 returning id'

export function createSqlKeyStore({ run }: SqlExecutor): KeyStore {
  return {
    async insert({ id, purpose, algorithm, sealed, createdAt, retiredAt }) {
      return (await run(insert, [id, purpose, algorithm, sealed, createdAt, retiredAt])).length === 1
    },
    async list() {
      return (await run(list, [])).map(readKey)
    },
    async retire(id, at) {
      return (await run(retire, [at, id])).length === 1
    },
    async remove(id) {
      return (await run(remove, [id])).length === 1
    },
  }
}

function readKey(row: SqlRow): StoredKey {
  return {
    id: String(row.id),
    purpose: String(row.purpose),
    // The key ring compares it with the algorithm in the sealed box.
    algorithm: String(row.algorithm) as StoredKey['algorithm'],
    sealed: String(row.sealed),
    createdAt: Number(row.created_at),
    retiredAt: row.retired_at === null ? null : Number(row.retired_at),
  }
}
