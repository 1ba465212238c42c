// All stores of a service on one MariaDB, with one pool of connections.
import type { ServerStores } from '@latchkey/server'
import { createConnection } from 'mysql2/promise'
import { createMariadbAccountStore, mariadbAccountSchema } from './mariadb-account-store.ts'
import { createMariadbAuditStore, mariadbAuditSchema } from './mariadb-audit-store.ts'
import { createMariadbClient, type MariadbOptions } from './mariadb-client.ts'
import { createMariadbCounterStore, mariadbCounterSchema } from './mariadb-counter-store.ts'
import { createMariadbDocumentStore, mariadbDocumentSchema } from './mariadb-document-store.ts'
import { createMariadbRecordStore, mariadbRecordSchema } from './mariadb-record-store.ts'

const schema = [
  mariadbRecordSchema,
  mariadbDocumentSchema,
  mariadbCounterSchema,
  mariadbAccountSchema,
  mariadbAuditSchema,
].join(';\n')

/** The stores of a service on MariaDB. */
export type MariadbStores = ServerStores & Required<Pick<ServerStores, 'counters' | 'audit' | 'migrate' | 'close'>>

/** Creates the stores. `migrate` creates their tables. */
export function createMariadbStores(options: MariadbOptions): MariadbStores {
  const client = createMariadbClient(options)
  const [records, documents] = [createMariadbRecordStore(client), createMariadbDocumentStore(client)]
  return {
    records,
    documents,
    counters: createMariadbCounterStore(client),
    accounts: createMariadbAccountStore(client, { records, documents }),
    audit: createMariadbAuditStore(client),
    async migrate() {
      const connection = await createConnection({ uri: options.url, multipleStatements: true })
      await connection.query(schema).finally(() => connection.end())
    },
    migrationSql: () => schema,
    check: async () => void (await documents.get('settings', 'stored-version')),
    close: client.close,
  }
}
