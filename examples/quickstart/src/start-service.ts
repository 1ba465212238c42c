import { isIP } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { allowNativeDelivery, type Mailer } from '@latchkey/accounts'
import { allowPlainHttpOnLoopback } from '@latchkey/http'
import { createMcp } from '@latchkey/mcp'
import { createAuthorizationServer } from '@latchkey/oauth/server'
import { createPasskeys } from '@latchkey/passkeys'
import { createServer, type Server, type ServerStores } from '@latchkey/server'
import {
  createDevelopmentPages,
  createEnvSecrets,
  createFileSecrets,
  type Listener,
  listen,
} from '@latchkey/server/node'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { type Configuration, ConfigurationError } from './configuration.ts'
import { openData } from './data/open-data.ts'
import { openMailer } from './mailer.ts'
import { readFrontEnd } from './pages/front-end.ts'
import { withPages } from './pages/with-pages.ts'
import { createPolicy } from './policy.ts'
import { printEvent } from './print-event.ts'
import { createAnnouncements } from './publication/announcements.ts'
import { clientPermissions, createDemoClients, metadataScopes, permissionWords } from './publication/demo-clients.ts'
import { exportPublication } from './publication/export-publication.ts'
import type { PublicationData } from './publication/publication-data.ts'
import { hasSeedPassword, seed } from './publication/seed.ts'
import { createResolvers } from './resolvers.ts'
import { typeDefs } from './schema.ts'
import { initialScopes, tools } from './tools/tools.ts'

export interface RunningService extends Listener {
  /** The origin of the address that it listens on. */
  readonly url: string
  /** The origin that people use. */
  readonly publicUrl: string
}

/** The folder whose dependencies contain the files of GraphiQL. */
const folder = fileURLToPath(new URL('..', import.meta.url))

/**
 * Starts the publication: takes the port, opens the database, fills it on its first start, and serves. If other
 * processes or the stores start at the same time, it waits for them.
 */
export async function startService(configuration: Configuration): Promise<RunningService> {
  let publicUrl = ''
  const listener = await listen(
    (address) => {
      publicUrl = configuration.publicUrl?.origin ?? ownUrl(address)
      return openPublication(configuration, publicUrl, address)
    },
    { hostname: configuration.host, port: configuration.port, print: null },
  )
  return { ...listener, url: urlOf(listener), publicUrl }
}

function urlOf({ hostname, port }: Pick<Listener, 'hostname' | 'port'>): string {
  return `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`
}

/** The URL for users of this machine: browsers cannot open an address such as `0.0.0.0`. */
function ownUrl({ hostname, port }: Pick<Listener, 'hostname' | 'port'>): string {
  return urlOf({ hostname: /^(?:127\.|::1$)/.test(hostname) ? hostname : '127.0.0.1', port })
}

async function openPublication(
  configuration: Configuration,
  publicUrl: string,
  address: Pick<Listener, 'hostname' | 'port'>,
): Promise<Server> {
  const { production } = configuration
  const mailer = await openMailer(configuration)
  const data = await openData(configuration)
  const { stores } = data
  try {
    if (production) await refuseSeedPasswords(stores)
    else await seed(data)
  } catch (error) {
    await stores.close?.()
    throw error
  }
  const server = createPublication(configuration, data, { publicUrl, port: address.port, mailer })
  return withPages(server, { publicUrl, frontEnd: await readFrontEnd(!production) })
}

/** The views of the front end that links in mails open; other links open the service's own pages. */
const mailLinks = {
  verifyEmail: '/app/verify',
  resetPassword: '/app/new-password',
  requestPasswordReset: '/app/forgotten',
  devices: '/app/devices',
  account: '/app/account',
}

interface Surroundings {
  readonly publicUrl: string
  readonly port: number
  readonly mailer: Mailer
}

/** Creates the server of the publication. It uses no store before it is opened. */
export function createPublication(
  configuration: Configuration,
  data: PublicationData,
  { publicUrl, port, mailer }: Surroundings,
): Server {
  const { production, plainHttpCookies, allowedHosts, trustedProxies, breachedPasswords } = configuration
  const { corsOrigins, corsAllowedHeaders, corsExposedHeaders, metadataClients } = configuration
  const { stores, articles, comments, broadcast, check } = data
  return createServer({
    baseUrl: publicUrl,
    environment: production ? 'production' : 'development',
    pages: {
      ...(!production && { development: createDevelopmentPages({ folder }) }),
      name: 'The publication',
      home: '/',
      scopes: { en: permissionWords },
    },
    http: {
      allowedOrigins: [...configuration.allowedOrigins, ...(production ? [] : [`http://localhost:${port}`])],
      allowedHosts,
      corsOrigins,
      corsAllowedHeaders,
      corsExposedHeaders,
      trustedProxies,
      ...(plainHttpCookies && { transport: allowPlainHttpOnLoopback }),
    },
    sessions: {
      nativeDelivery: allowNativeDelivery,
      accessTokens: {
        algorithm: configuration.accessTokenAlgorithm,
        clientAlgorithm: configuration.clientTokenAlgorithm,
      },
    },
    mails: { mailer, notifyNewDevices: true, links: mailLinks },
    secrets: createSecrets(configuration),
    signIn: {
      ...(breachedPasswords && { breachedPasswords }),
      totp: (parts) => createTotp({ ...parts, issuer: 'Latchkey quickstart' }),
      recoveryCodes: createRecoveryCodes,
      ...(hasDomain(publicUrl) && { passkeys: createPasskeys }),
    },
    stores,
    observe: { ...(check && { readiness: check }), onEvent: printEvent },
    signUp: { role: 'READER' },
    accounts: {
      // Published articles and comments stay, under the name of a deleted account.
      deletion: { onDelete: ({ id }) => articles.removeDrafts(id) },
      apiKeys: {
        prefix: 'lk_',
        scopes: ['openid', 'email', ...clientPermissions],
        requestsPerMinute: configuration.apiKeyLimit,
      },
      dataExport: { application: ({ id }) => exportPublication(data, id) },
    },
    oauth: (parts) =>
      createAuthorizationServer({
        ...parts,
        scopes: clientPermissions,
        defaultScopes: ['openid'],
        fixedClients: production ? [] : createDemoClients(),
        ...(metadataClients !== null && { metadataClients: { from: metadataClients, scopes: metadataScopes } }),
      }),
    mcp: (parts) => createMcp({ ...parts, tools, initialScopes }),
    policy: createPolicy(articles, comments),
    typeDefs,
    resolvers: createResolvers(articles, comments, createAnnouncements(broadcast)),
  })
}

/** Browsers do not support passkeys for IP addresses; on this machine they support them for `localhost`. */
function hasDomain(publicUrl: string): boolean {
  const { hostname } = new URL(publicUrl)
  return isIP(hostname.replace(/[[\]]/g, '')) === 0 || /^(?:127\.|\[::1\]$)/.test(hostname)
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
