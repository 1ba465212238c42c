import type { DocumentStore, StoredDocument } from '@latchkey/store'
import { readPage } from '../statements/read-page.ts'
import type { SqlExecutor, SqlRow } from '../statements/sql-executor.ts'

const columns = 'collection, id, owner, version, value'
const insert = `insert into latchkey_documents (${columns}) values ($1, $2, $3, $4, $5)
on conflict (collection, id) do nothing returning id`
const get = `select ${columns} from latchkey_documents where collection = $1 and id = $2`
const replace = `update latchkey_documents set version = $1, value = $2
where collection = $3 and id = $4 and version = $5 returning id`
const remove = 'delete from latchkey_documents where collection = $1 and id = $2 returning id'
const removeVersion = `delete from latchkey_documents where collection = $1 and id = $2 and version = $3 returning id`
const list = `select ${columns} from latchkey_documents where collection = $1 and id > $2 order by id limit $3`

const inPages = 'order by collection, id limit'

export function createSqlDocumentStore({ run, listed, rowLocks }: SqlExecutor): DocumentStore {
  const listOwned = `select ${columns} from latchkey_documents
where owner = $1 and (collection, id) > ($2, $3) ${inPages} $4`
  const listNamed = `select ${columns} from latchkey_documents
where collection in (${listed}) and owner = $2 and (collection, id) > ($3, $4) ${inPages} $5`
  const removeOwned = removeWhere('owner = $1', rowLocks.wait)
  const removeNamed = removeWhere(`collection in (${listed}) and owner = $2`, rowLocks.wait)

  return {
    capabilities: { contract: 1, consistency: 'strong' },
    async insert({ collection, id, owner, version, value }) {
      return (await run(insert, [collection, id, owner, version, value])).length === 1
    },
    async get(collection, id) {
      const [row] = await run(get, [collection, id])
      return row ? readDocument(row) : null
    },
    async replace({ collection, id, version }, next) {
      return (await run(replace, [next.version, next.value, collection, id, version])).length === 1
    },
    async remove({ collection, id, version }) {
      const removed =
        version === undefined ? run(remove, [collection, id]) : run(removeVersion, [collection, id, version])
      return (await removed).length === 1
    },
    list: (collection, page) =>
      readPage(
        page,
        readDocument,
        ({ id }) => id,
        (after, limit) => run(list, [collection, after, limit]),
      ),
    listByOwner: (owner, { collections, ...page } = {}) =>
      readPage(page, readDocument, toCursor, (after, limit) => {
        const [collection, id] = fromCursor(after)
        return collections
          ? run(listNamed, [JSON.stringify(collections), owner, collection, id, limit])
          : run(listOwned, [owner, collection, id, limit])
      }),
    async removeByOwner(owner, { collections } = {}) {
      const removed = collections ? run(removeNamed, [JSON.stringify(collections), owner]) : run(removeOwned, [owner])
      return (await removed).length
    },
  }
}

/** The query is a common table expression: inside the condition of the removal it could be executed more than once. */
function removeWhere(condition: string, locks: string): string {
  const chosen = `select collection, id from latchkey_documents where ${condition} order by collection, id${locks}`
  return `with chosen as (${chosen}) delete from latchkey_documents
where (collection, id) in (select collection, id from chosen) returning id`
}

/** No collection has a space. */
function toCursor({ collection, id }: StoredDocument): string {
  return `${collection} ${id}`
}

function fromCursor(cursor: string): readonly [string, string] {
  const end = cursor.indexOf(' ')
  return [cursor.slice(0, Math.max(end, 0)), cursor.slice(end + 1)]
}

function readDocument(row: SqlRow): StoredDocument {
  return {
    collection: String(row.collection),
    id: String(row.id),
    owner: row.owner === null ? null : String(row.owner),
    version: String(row.version),
    value: String(row.value),
  }
}
