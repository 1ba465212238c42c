import type { DatabaseSync } from 'node:sqlite'
import { createSqliteStores } from '@latchkey/sql'
import { createMemoryBroadcast } from '@latchkey/store'
import type { PublicationData } from '../publication/publication-data.ts'
import { openDatabase } from './open-database.ts'
import { createPublicationTables } from './publication-tables.ts'
import { createSqliteArticles } from './sqlite-articles.ts'
import { createSqliteComments } from './sqlite-comments.ts'
import { startMs, whenFree } from './when-free.ts'

/** Creates the data in the embedded database of one data directory, which is opened when it is first needed. */
export function createSqliteData(dataDirectory: string): PublicationData {
  let opened: DatabaseSync | null = null
  const open = (): DatabaseSync => {
    opened ??= openDatabase(dataDirectory)
    return opened
  }
  const stores = createSqliteStores({ database: open })
  const [articles, comments] = [createSqliteArticles(open), createSqliteComments(open)]
  return {
    stores: {
      ...stores,
      async migrate() {
        const report = await stores.migrate()
        await whenFree(() => createPublicationTables(open()), startMs)
        return report
      },
    },
    articles,
    comments,
    // A file notifies no other process: events reach the subscribers of this one.
    broadcast: createMemoryBroadcast(),
    async fillOnce(fill) {
      const database = open()
      // Under the lock, because another process that starts may be filling it.
      await whenFree(() => database.exec('begin immediate'), startMs)
      try {
        const { changes } = database
          .prepare(`insert into milestones (name) values ('seeded') on conflict do nothing`)
          .run()
        if (changes === 1) await fill(articles, comments)
        database.exec('commit')
      } catch (error) {
        database.exec('rollback')
        throw error
      }
    },
  }
}
