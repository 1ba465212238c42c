import { isStoreError, StoreError } from '@latchkey/store'
import { type Configuration, ConfigurationError } from '../configuration.ts'
import type { PublicationData } from '../publication/publication-data.ts'
import { createPostgresData } from './postgres-data.ts'
import { withRedisRecords } from './redis-records.ts'
import { createSqliteData } from './sqlite-data.ts'

/** Creates the data that the configuration names. The first use opens it. */
export function createData(configuration: Configuration): PublicationData {
  const { databaseUrl, directDatabaseUrl, redisUrl, dataDirectory } = configuration
  const data =
    databaseUrl === null ? createSqliteData(dataDirectory) : createPostgresData(databaseUrl, directDatabaseUrl)
  return redisUrl === null ? data : { ...data, stores: withRedisRecords(data.stores, redisUrl) }
}

/**
 * Creates the same for a service that is about to serve: it is opened, and its tables are there.
 *
 * @throws ConfigurationError when a server or a directory that the configuration names cannot be used; a `StoreError` when
 *   it does not answer: it may be starting, too.
 */
export async function openData(configuration: Configuration): Promise<PublicationData> {
  const data = createData(configuration)
  const { stores } = data
  try {
    await stores.migrate?.()
  } catch (error) {
    await stores.close?.()
    throw configuration.databaseUrl === null ? explainDirectory(error) : explainDatabase(error)
  }
  if (configuration.redisUrl === null) return data
  await withinTwoSeconds(stores.check).catch(async (cause) => {
    await stores.close?.()
    throw new StoreError('STORE_UNAVAILABLE', unusableRedis, { cause })
  })
  return data
}

const unusableRedis = 'The Redis of REDIS_URL cannot be used: is it running, and is the address right?'
const unusableDatabase =
  'The database of DATABASE_URL cannot be used: is it running, and are address, name and password right?'

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: waiting helps against none of these. */
const refusals = ['28000', '28P01', '3D000']

function explainDatabase(error: unknown): unknown {
  if (!isStoreError(error)) return error
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException
  return refusals.includes(code ?? '')
    ? new ConfigurationError(unusableDatabase)
    : new StoreError(error.code, error.code === 'STORE_UNAVAILABLE' ? unusableDatabase : error.message, {
        cause: error,
      })
}

const directoryProblems: Readonly<Record<string, string>> = {
  EEXIST: 'is a file',
  ENOTDIR: 'is below a file',
  EACCES: 'may not be read or written by this user',
  EPERM: 'may not be read or written by this user',
  EROFS: 'is on a disk that is read-only',
}

/** The database is opened after its directory is created; an error of either is the cause of a `StoreError`. */
function explainDirectory(error: unknown): unknown {
  const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
  const problem = directoryProblems[code ?? '']
  return problem === undefined ? error : new ConfigurationError(`DATA_DIR must name a directory, and ${problem}.`)
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
