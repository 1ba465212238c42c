import type { DatabaseSync } from 'node:sqlite'
import { createSqliteStores } from '@latchkey/sql'
import { createMemoryBroadcast } from '@latchkey/store'
import { createArticles } from '../publication/articles.ts'
import { createComments } from '../publication/comments.ts'
import type { PublicationData } from '../publication/publication-data.ts'
import { openDatabase } from './open-database.ts'
import { createPublicationTables } from './publication-tables.ts'

/** Creates the data in the embedded database of one data directory, which is opened when it is first needed. */
export function createSqliteData(dataDirectory: string): PublicationData {
  let opened: DatabaseSync | null = null
  const open = (): DatabaseSync => {
    opened ??= openDatabase(dataDirectory)
    return opened
  }
  const stores = createSqliteStores({ database: open })
  const [articles, comments] = [createArticles(open), createComments(open)]
  return {
    stores: {
      ...stores,
      async migrate() {
        const report = await stores.migrate()
        createPublicationTables(open())
        return report
      },
    },
    articles,
    comments,
    // The file tells nobody that it has changed: what happens here is heard of here.
    broadcast: createMemoryBroadcast(),
    async fillOnce(fill) {
      const database = open()
      if (database.prepare(`select 1 from milestones where name = 'seeded'`).get()) return
      database.exec('begin immediate')
      try {
        await fill(articles, comments)
        database.exec(`insert into milestones (name) values ('seeded')`)
        database.exec('commit')
      } catch (error) {
        database.exec('rollback')
        throw error
      }
    },
  }
}
