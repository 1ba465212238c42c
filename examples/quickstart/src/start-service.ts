import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { allowNativeDelivery, type Mailer } from '@latchkey/accounts'
import { allowPlainHttpOnLoopback } from '@latchkey/http'
import { createServer, createTerminalMailer, type Server, type ServerStores } from '@latchkey/server'
import {
  type BoundAddress,
  createDevelopmentPages,
  createEnvSecrets,
  createFileMailer,
  createFileSecrets,
  type Listener,
  listen,
} from '@latchkey/server/node'
import { type Configuration, ConfigurationError } from './configuration.ts'
import { openData } from './data/open-data.ts'
import { createPolicy } from './policy.ts'
import { createAnnouncements } from './publication/announcements.ts'
import type { PublicationData } from './publication/publication-data.ts'
import { hasSeedPassword, seed } from './publication/seed.ts'
import { createResolvers } from './resolvers.ts'
import { typeDefs } from './schema.ts'
import { withPages } from './with-pages.ts'

export interface RunningService extends Listener {
  readonly publicUrl: string
}

/** Where the files of GraphiQL are found: the dependencies of this example. */
const folder = fileURLToPath(new URL('..', import.meta.url))

/** Starts the publication: takes the port, opens the database, fills it on its first start, and serves. */
export async function startService(configuration: Configuration): Promise<RunningService> {
  let publicUrl = ''
  const listener = await listen(
    (address) => {
      publicUrl = configuration.publicUrl?.origin ?? `http://127.0.0.1:${address.port}`
      return openPublication(configuration, publicUrl, address)
    },
    { port: configuration.port, print: null },
  )
  return { ...listener, publicUrl }
}

async function openPublication(
  configuration: Configuration,
  publicUrl: string,
  address: BoundAddress,
): Promise<Server> {
  const { production } = configuration
  const data = await openData(configuration)
  const { stores } = data
  if (production) await refuseSeedPasswords(stores)
  else await seed(data)

  const server = createPublication(configuration, data, { publicUrl, port: address.port })
  return withPages(server, { publicUrl, development: !production })
}

interface Address {
  readonly publicUrl: string
  readonly port: number
}

/** Creates the server of the publication: it reads and writes nothing before it is opened. */
export function createPublication(
  configuration: Configuration,
  data: PublicationData,
  { publicUrl, port }: Address,
): Server {
  const { production, plainHttpCookies } = configuration
  const { stores, articles, comments, broadcast } = data
  return createServer({
    baseUrl: publicUrl,
    environment: production ? 'production' : 'development',
    ...(!production && { developmentPages: createDevelopmentPages({ folder }) }),
    allowedOrigins: production ? [] : [`http://localhost:${port}`],
    ...(plainHttpCookies && { transport: allowPlainHttpOnLoopback }),
    nativeDelivery: allowNativeDelivery,
    mailer: createMailer(configuration),
    secrets: createSecrets(configuration),
    stores,
    signUp: { role: 'READER' },
    policy: createPolicy(articles, comments),
    typeDefs,
    resolvers: createResolvers(articles, comments, createAnnouncements(broadcast)),
  })
}

async function refuseSeedPasswords({ accounts }: ServerStores): Promise<void> {
  if (!(await hasSeedPassword(accounts))) return
  throw new ConfigurationError(
    'An account still has the public password of the example: change it, or start with another DATA_DIR or DATABASE_URL.',
  )
}

function createSecrets({ secret, dataDirectory }: Configuration): ReturnType<typeof createEnvSecrets> {
  if (secret !== null) return createEnvSecrets({ environment: { LATCHKEY_SECRET: secret } })
  if (dataDirectory === ':memory:') return createEnvSecrets({ environment: { LATCHKEY_SECRET: crypto.randomUUID() } })
  return createFileSecrets({ path: join(dataDirectory, 'secret') })
}

function createMailer({ mailDirectory }: Configuration): Mailer {
  const terminal = createTerminalMailer()
  if (mailDirectory === null) return terminal
  const files = createFileMailer({ directory: mailDirectory })
  return { send: async (message) => void (await Promise.all([terminal.send(message), files.send(message)])) }
}
