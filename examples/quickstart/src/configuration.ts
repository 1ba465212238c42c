import { isIP } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createAddressReader, createCors, createHostCheck } from '@latchkey/http'
import { type BreachCheckOptions, createBreachCheck } from '@latchkey/password'

/** The settings of the environment, checked before the service opens a store or a port. */
export interface Configuration {
  /** The address to listen on. */
  readonly host: string
  readonly port: number
  /** A directory, or `:memory:`. */
  readonly dataDirectory: string
  /** The address that people type; `null`: `http://127.0.0.1:<port>`. */
  readonly publicUrl: URL | null
  /** Additional origins of our own pages. The service serves their hosts too. */
  readonly allowedOrigins: readonly string[]
  /** Origins of other services whose pages may read answers, with a bearer token. */
  readonly corsOrigins: readonly string[]
  /** Further headers that these pages may send. */
  readonly corsAllowedHeaders: readonly string[]
  /** Further headers that these pages may read. */
  readonly corsExposedHeaders: readonly string[]
  /** Further hosts that are served, `host[:port]`. */
  readonly allowedHosts: readonly string[]
  /** Addresses and ranges of the proxies whose forwarding headers count. */
  readonly trustedProxies: readonly string[]
  /** `postgres://…`; `null`: SQLite in the data directory. */
  readonly databaseUrl: string | null
  /** The same database without the pooler that `databaseUrl` names; `null`: it names no pooler. */
  readonly directDatabaseUrl: string | null
  /** `redis://…`, for the records; `null`: they lie in the database. */
  readonly redisUrl: string | null
  readonly mailDirectory: string | null
  /** The mail server and the sender's address; `null`: mails are printed. */
  readonly smtp: { readonly url: string; readonly from: string } | null
  /** How new passwords are looked up in known breaches; `null`: they are not. */
  readonly breachedPasswords: Pick<BreachCheckOptions, 'whenUnavailable' | 'url'> | null
  readonly secret: string | null
  readonly plainHttpCookies: boolean
  /** The algorithm that signs access tokens. Other services can verify the tokens of a key pair. */
  readonly accessTokenAlgorithm: (typeof algorithms)[number]
  /** The algorithm that signs the tokens of third-party clients, for other services to verify. */
  readonly clientTokenAlgorithm: (typeof publicAlgorithms)[number]
  /** The hosts whose client metadata documents are accepted, or `any` host; `null`: only registered clients. */
  readonly metadataClients: 'any' | readonly string[] | null
  /** The number of requests of one API key within a minute. */
  readonly apiKeyLimit: number
  readonly production: boolean
}

const postgresProtocols = ['postgres:', 'postgresql:'] as const
const publicAlgorithms = ['ES256', 'RS256', 'PS256', 'EdDSA'] as const
const algorithms = ['HS256', ...publicAlgorithms] as const

export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

/** The data directory if `DATA_DIR` is not set. It does not depend on the working directory. */
export const defaultDataDirectory = fileURLToPath(new URL('../.data', import.meta.url))

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads the service's configuration.
 *
 * @throws ConfigurationError with one sentence that names the wrong variable and its allowed values.
 */
export function readConfiguration(environment: Environment, defaultDataDirectory: string): Configuration {
  const configuration: Configuration = {
    host: environment.HOST || '127.0.0.1',
    port: readPort(environment.PORT),
    dataDirectory: environment.DATA_DIR || defaultDataDirectory,
    publicUrl: readPublicUrl(environment.PUBLIC_URL),
    allowedOrigins: readOrigins('ALLOWED_ORIGINS', environment.ALLOWED_ORIGINS),
    corsOrigins: readOrigins('CORS_ORIGINS', environment.CORS_ORIGINS),
    corsAllowedHeaders: readHeaders('CORS_ALLOWED_HEADERS', environment.CORS_ALLOWED_HEADERS),
    corsExposedHeaders: readHeaders('CORS_EXPOSED_HEADERS', environment.CORS_EXPOSED_HEADERS),
    allowedHosts: readHosts(environment.ALLOWED_HOSTS),
    trustedProxies: readProxies(environment.TRUSTED_PROXIES),
    databaseUrl: readServerUrl('DATABASE_URL', environment.DATABASE_URL, postgresProtocols),
    directDatabaseUrl: readDirectUrl(environment),
    redisUrl: readServerUrl('REDIS_URL', environment.REDIS_URL, ['redis:', 'rediss:']),
    mailDirectory: environment.MAIL_DIR || null,
    smtp: readSmtp(environment),
    breachedPasswords: readBreachedPasswords(environment),
    secret: environment.LATCHKEY_SECRET || null,
    plainHttpCookies: readCookies(environment.COOKIES),
    accessTokenAlgorithm: readAlgorithm('ACCESS_TOKEN_ALGORITHM', environment.ACCESS_TOKEN_ALGORITHM, algorithms),
    clientTokenAlgorithm: readAlgorithm('CLIENT_TOKEN_ALGORITHM', environment.CLIENT_TOKEN_ALGORITHM, publicAlgorithms),
    metadataClients: readMetadataClients(environment),
    apiKeyLimit: readApiKeyLimit(environment.API_KEY_LIMIT),
    production: readProduction(environment.NODE_ENV),
  }
  if (configuration.databaseUrl !== null) requireSharedSettings(configuration)
  if (configuration.production) refuseDevelopmentSettings(configuration)
  if (configuration.plainHttpCookies) requireLoopback(configuration)
  return configuration
}

function readPort(text = ''): number {
  const port = text === '' ? 4000 : Number(text)
  if (/^\d*$/.test(text) && port <= 65_535) return port
  throw new ConfigurationError('PORT must be a number from 0 to 65535 (0 picks a free port).')
}

function readApiKeyLimit(text = ''): number {
  if (text === '') return 600
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw new ConfigurationError('API_KEY_LIMIT must be a number of requests a minute, at least 1.')
}

function readPublicUrl(text = ''): URL | null {
  if (text === '') return null
  const url = readOrigin(text.replace(/\/$/, ''))
  if (url) return url
  throw new ConfigurationError('PUBLIC_URL must be an https origin without a path, or an http one on this machine.')
}

/** An https origin as browsers write it, or an http one on this machine. */
function readOrigin(text: string): URL | null {
  const url = URL.parse(text)
  return url?.origin === text && (url.protocol === 'https:' || isLoopback(url)) ? url : null
}

function readOrigins(name: string, text = ''): readonly string[] {
  const origins = readList(text)
  if (origins.every((origin) => readOrigin(origin) !== null)) return origins
  throw new ConfigurationError(
    `${name} must be origins as browsers write them, https or on this machine, separated by commas.`,
  )
}

function readHeaders(name: string, text = ''): readonly string[] {
  const allowedHeaders = readList(text)
  if (isAccepted(() => createCors({ origins: [], allowedHeaders }))) return allowedHeaders
  throw new ConfigurationError(
    `${name} must be names of headers, separated by commas; never *, Cookie, Set-Cookie, Host, Forwarded or X-Forwarded-….`,
  )
}

function readHosts(text = ''): readonly string[] {
  const hosts = readList(text)
  const [first, ...others] = hosts
  if (
    first === undefined ||
    (!text.includes('/') && isAccepted(() => createHostCheck({ hosts: [first, ...others] })))
  ) {
    return hosts
  }
  throw new ConfigurationError('ALLOWED_HOSTS must be hosts like 10.0.0.5:4000 or inner.example, separated by commas.')
}

function readProxies(text = ''): readonly string[] {
  const trustedProxies = readList(text)
  if (isAccepted(() => createAddressReader({ trustedProxies }))) return trustedProxies
  throw new ConfigurationError(
    'TRUSTED_PROXIES must be IP addresses and ranges like 127.0.0.1 or 10.0.0.0/8, separated by commas.',
  )
}

/** Empty items are removed, so that a comma at the end is allowed. */
function readList(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** The packages throw a `TypeError` that names their own options; users of this service set variables. */
function isAccepted(make: () => unknown): boolean {
  try {
    make()
    return true
  } catch {
    return false
  }
}

function readServerUrl(name: string, text = '', protocols: readonly [string, ...string[]]): string | null {
  if (text === '') return null
  if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text
  throw new ConfigurationError(`${name} must be an address that begins with ${protocols[0]}//.`)
}

function readDirectUrl({ DATABASE_DIRECT_URL, DATABASE_URL = '' }: Environment): string | null {
  const url = readServerUrl('DATABASE_DIRECT_URL', DATABASE_DIRECT_URL, postgresProtocols)
  if (url === null || DATABASE_URL !== '') return url
  throw new ConfigurationError('DATABASE_DIRECT_URL needs DATABASE_URL: the address of the pooler.')
}

function readSmtp({ SMTP_URL, MAIL_FROM: from = '' }: Environment): Configuration['smtp'] {
  const url = readServerUrl('SMTP_URL', SMTP_URL, ['smtps:', 'smtp:'])
  if (url === null) return null
  if (from !== '') return { url, from }
  throw new ConfigurationError('SMTP_URL needs MAIL_FROM: the address that mails are from.')
}

const breachModes = { off: null, open: 'accept', closed: 'refuse' } as const

function readBreachedPasswords({ BREACHED_PASSWORDS, BREACHED_PASSWORDS_URL: url }: Environment) {
  const mode = BREACHED_PASSWORDS || 'off'
  if (!Object.hasOwn(breachModes, mode)) {
    throw new ConfigurationError(
      'BREACHED_PASSWORDS must be "off", "open" (passwords are taken while the service fails) or "closed" (they are not).',
    )
  }
  const whenUnavailable = breachModes[mode as keyof typeof breachModes]
  if (whenUnavailable === null) return null
  const options = { whenUnavailable, ...(url && { url }) }
  if (url === undefined || isAccepted(() => createBreachCheck(options))) return options
  throw new ConfigurationError('BREACHED_PASSWORDS_URL must be an https address, or an http one on this machine.')
}

/** Processes that share a database must also share their keys and their public URL. */
function requireSharedSettings({ secret, publicUrl }: Configuration): void {
  if (secret === null)
    throw new ConfigurationError('DATABASE_URL needs LATCHKEY_SECRET: every process must have the same.')
  if (publicUrl === null) throw new ConfigurationError('DATABASE_URL needs PUBLIC_URL: the address that people type.')
}

function readCookies(text = ''): boolean {
  if (text === '' || text === 'plain-http') return text !== ''
  throw new ConfigurationError('COOKIES may only be "plain-http" (weaker cookies, on this machine only) or unset.')
}

/** The default is the first allowed name. */
function readAlgorithm<Name extends string>(
  variable: string,
  text: string | undefined,
  known: readonly [Name, ...Name[]],
): Name {
  const algorithm = text ? known.find((one) => one === text) : known[0]
  if (algorithm) return algorithm
  throw new ConfigurationError(`${variable} must be one of ${known.join(', ')}.`)
}

/** Every owner of a site can publish client metadata: production has to name the trusted hosts. */
function readMetadataClients({ METADATA_CLIENTS, NODE_ENV }: Environment): Configuration['metadataClients'] {
  const text = METADATA_CLIENTS || (readProduction(NODE_ENV) ? 'off' : 'any')
  if (text === 'off') return null
  if (text === 'any') return text
  const hosts = readList(text)
  const isHost = (host: string) => /^(?:\*\.)?[a-z\d-]+(?:\.[a-z\d-]+)+$/.test(host)
  if (hosts.length > 0 && hosts.every(isHost)) return hosts
  throw new ConfigurationError(
    'METADATA_CLIENTS must be "any", "off", or hosts like app.example.com or *.example.com, separated by commas.',
  )
}

/** "prod" or "Production" is a mistake that would open a service with public passwords. */
function readProduction(text = ''): boolean {
  if (['', 'development', 'test', 'production'].includes(text)) return text === 'production'
  throw new ConfigurationError('NODE_ENV must be "production", "development", "test" or unset.')
}

function refuseDevelopmentSettings(configuration: Configuration): void {
  const { publicUrl, allowedOrigins, corsOrigins, plainHttpCookies } = configuration
  if (publicUrl?.protocol !== 'https:') {
    throw new ConfigurationError('NODE_ENV=production needs PUBLIC_URL with https.')
  }
  for (const [name, origins] of [
    ['ALLOWED_ORIGINS', allowedOrigins],
    ['CORS_ORIGINS', corsOrigins],
  ] as const) {
    if (origins.every((origin) => origin.startsWith('https:'))) continue
    throw new ConfigurationError(`NODE_ENV=production needs ${name} with https.`)
  }
  if (plainHttpCookies) throw new ConfigurationError('NODE_ENV=production refuses COOKIES=plain-http.')
}

/** Cookies without `Secure` travel in plain text, to every host that is served. */
function requireLoopback({ publicUrl, allowedOrigins, allowedHosts }: Configuration): void {
  const hosts = allowedHosts.map((host) => `http://${host}`)
  if ([...(publicUrl ? [publicUrl] : []), ...allowedOrigins, ...hosts].every((url) => isLoopback(new URL(url)))) return
  throw new ConfigurationError(
    'COOKIES=plain-http is for this machine only: PUBLIC_URL, ALLOWED_ORIGINS and ALLOWED_HOSTS must be on loopback.',
  )
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'))
}
