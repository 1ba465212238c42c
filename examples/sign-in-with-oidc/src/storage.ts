import { mkdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { SecretKeys } from '@latchkey/bytes'
import { createFileSecrets } from '@latchkey/server/node'
import { createSqliteStores, type SqlStores } from '@latchkey/sql'

/** The stores and secrets of one service. */
export interface Storage {
  readonly stores: SqlStores
  readonly secrets: SecretKeys
}

/** Opens the folder of a service, or makes it. */
export async function openStorage(folder: string): Promise<Storage> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const secrets = await createFileSecrets({ path: `${folder}/secret` }).load()
  return { stores: createSqliteStores({ database: () => new DatabaseSync(`${folder}/app.db`) }), secrets }
}
