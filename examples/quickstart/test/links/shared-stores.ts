import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerStores } from '@latchkey/server'
import { useService } from '@latchkey/test-services'
import { afterAll, beforeAll } from 'vitest'
import { createServerEnvironment } from '../support/server-environment.ts'
import { temporaryDirectory } from '../support/start-quickstart.ts'
import { type LinkSettings, openStores } from './link-process.ts'

/** Where several processes keep what they share. */
export const backends = ['SQLite', 'PostgreSQL', 'PostgreSQL with records and counters in Redis'] as const
export type Backend = (typeof backends)[number]
export const timeout = 60_000

/** Where processes find their stores. */
export type StoreSettings = Pick<LinkSettings, 'database' | 'redisUrl'>

/** Stores that are migrated, which the tests around it share with processes of theirs. */
export interface SharedStores {
  /** `null`: the servers are not there. */
  settings(): StoreSettings | null
  stores(): ServerStores
}

export function useSharedStores(backend: Backend): SharedStores {
  const postgres = useService('postgres')
  const redis = useService('redis')
  let settings: StoreSettings | null = null
  let opened: ReturnType<typeof openStores> | undefined
  const folders: string[] = []

  async function findSettings(): Promise<StoreSettings> {
    if (backend === 'SQLite') {
      const folder = await temporaryDirectory()
      folders.push(folder)
      return { database: join(folder, 'app.db'), redisUrl: null }
    }
    const { DATABASE_URL: database = '' } = await createServerEnvironment(postgres)
    return { database, redisUrl: backend === 'PostgreSQL' ? null : redis }
  }

  beforeAll(async () => {
    if (postgres === '' || redis === '') return
    settings = await findSettings()
    opened = openStores(settings)
    await opened.stores.migrate()
  }, timeout)
  afterAll(async () => {
    await opened?.close()
    for (const folder of folders) rmSync(folder, { recursive: true })
  })

  return {
    settings: () => settings,
    stores() {
      if (!opened) throw new Error('the stores are not there')
      return opened.stores
    },
  }
}
