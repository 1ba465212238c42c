import { type Configuration, ConfigurationError } from '../configuration.ts'
import type { PublicationData } from '../publication/publication-data.ts'
import { openPostgresData } from './postgres-data.ts'
import { withRedisRecords } from './redis-records.ts'
import { openSqliteData } from './sqlite-data.ts'

/**
 * Opens what the configuration names.
 *
 * @throws ConfigurationError when a server that it names cannot be used.
 */
export async function openData({ databaseUrl, redisUrl, dataDirectory }: Configuration): Promise<PublicationData> {
  const data = databaseUrl === null ? await openSqliteData(dataDirectory) : await openServer(databaseUrl)
  if (redisUrl === null) return data
  const stores = withRedisRecords(data.stores, redisUrl)
  await withinTwoSeconds(stores.check).catch(async () => {
    await stores.close?.()
    throw new ConfigurationError('The Redis of REDIS_URL cannot be used: is it running, and is the address right?')
  })
  return { ...data, stores }
}

async function openServer(databaseUrl: string): Promise<PublicationData> {
  try {
    return await openPostgresData(databaseUrl)
  } catch {
    throw new ConfigurationError(
      'The database of DATABASE_URL cannot be used: is it running, and are address, name and password right?',
    )
  }
}

/** The first connection may take longer than a request would wait for it. */
async function withinTwoSeconds(check: (() => Promise<void>) | undefined): Promise<void> {
  for (const end = performance.now() + 2000; ; ) {
    try {
      return await check?.()
    } catch (error) {
      if (performance.now() > end) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
