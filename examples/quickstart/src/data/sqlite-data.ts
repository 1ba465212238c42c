import { createSqliteStores } from '@latchkey/sql'
import { createMemoryBroadcast } from '@latchkey/store'
import type { PublicationData } from '../publication/publication-data.ts'
import { openDatabase } from './open-database.ts'
import { createPublicationTables } from './publication-tables.ts'
import { createSqliteArticles } from './sqlite-articles.ts'
import { createSqliteComments } from './sqlite-comments.ts'

/** Opens the embedded database of one data directory. */
export async function openSqliteData(dataDirectory: string): Promise<PublicationData> {
  const database = openDatabase(dataDirectory)
  const stores = createSqliteStores({ database: () => database })
  await stores.migrate()
  createPublicationTables(database)
  const [articles, comments] = [createSqliteArticles(database), createSqliteComments(database)]
  return {
    stores,
    articles,
    comments,
    // A file notifies no other process: events reach the subscribers of this one.
    broadcast: createMemoryBroadcast(),
    async fillOnce(fill) {
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
