// Documents on MariaDB: factors, clients, consents, keys. Each method is one statement, and its condition has one winner.
import type { DocumentStore, Page, StoredDocument } from '@latchkey/store'
import type { MariadbClient } from './mariadb-client.ts'

/**
 * The table. `nopad_bin` compares bytes, including white space at the end. InnoDB appends the primary key to an index, so
 * that the index of owners has the order of their lists.
 */
export const mariadbDocumentSchema = `create table if not exists latchkey_documents (
  collection varchar(64) character set utf8mb4 collate utf8mb4_nopad_bin not null,
  id varchar(512) character set utf8mb4 collate utf8mb4_nopad_bin not null,
  owner varchar(512) character set utf8mb4 collate utf8mb4_nopad_bin,
  version varchar(512) character set utf8mb4 collate utf8mb4_nopad_bin not null,
  value mediumtext character set utf8mb4 collate utf8mb4_nopad_bin not null,
  primary key (collection, id),
  index latchkey_documents_by_owner (owner)
) engine = InnoDB`

const columns = 'collection, id, owner, version, value'
// No collection has a comma; null stands for all of them.
const owned = 'owner = ? and (? is null or find_in_set(collection, ?))'

const statements = {
  insert: `insert into latchkey_documents (${columns}) select ?, ?, ?, ?, ? where true`,
  get: `select ${columns} from latchkey_documents where collection = ? and id = ?`,
  replace: `update latchkey_documents set version = ?, value = ?
    where collection = ? and id = ? and version = ?`,
  remove: 'delete from latchkey_documents where collection = ? and id = ?',
  removeVersion: 'delete from latchkey_documents where collection = ? and id = ? and version = ?',
  list: `select ${columns} from latchkey_documents where collection = ? and id > ? order by id limit ?`,
  listByOwner: `select ${columns} from latchkey_documents
    where ${owned} and (collection, id) > (?, ?) order by collection, id limit ?`,
  removeByOwner: `delete from latchkey_documents where ${owned}`,
}

/** Creates a document store on the table of `mariadbDocumentSchema`. */
export function createMariadbDocumentStore({ read, change }: MariadbClient): DocumentStore {
  return {
    capabilities: { contract: 1, consistency: 'strong' },
    async insert({ collection, id, owner, version, value }) {
      return (await change(statements.insert, [collection, id, owner, version, value])) === 1
    },
    async get(collection, id) {
      const [document] = await read<StoredDocument>(statements.get, [collection, id])
      return document ?? null
    },
    async replace({ collection, id, version }, next) {
      return (await change(statements.replace, [next.version, next.value, collection, id, version])) === 1
    },
    async remove({ collection, id, version }) {
      const removed =
        version === undefined
          ? change(statements.remove, [collection, id])
          : change(statements.removeVersion, [collection, id, version])
      return (await removed) === 1
    },
    list: (collection, page) =>
      readPage(page, (_collection, id, limit) => read(statements.list, [collection, id, limit])),
    listByOwner: (owner, { collections, ...page } = {}) => {
      const named = collections?.join() ?? null
      return readPage(page, (collection, id, limit) =>
        read(statements.listByOwner, [owner, named, named, collection, id, limit]),
      )
    },
    async removeByOwner(owner, { collections } = {}) {
      const named = collections?.join() ?? null
      return (await change(statements.removeByOwner, [owner, named, named])) ?? 0
    },
  }
}

/** Reads one document more than the page has, to know whether there are more. */
async function readPage(
  { limit = 100, cursor = '["",""]' }: Page = {},
  readAfter: (collection: string, id: string, limit: number) => Promise<readonly StoredDocument[]>,
): ReturnType<DocumentStore['list']> {
  const [collection, id] = JSON.parse(cursor) as [string, string]
  const documents = await readAfter(collection, id, limit + 1)
  const items = documents.slice(0, limit)
  const last = items.at(-1)
  return last && documents.length > limit ? { items, cursor: JSON.stringify([last.collection, last.id]) } : { items }
}
