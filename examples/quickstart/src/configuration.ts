import { isIP } from 'node:net'
import { fileURLToPath } from 'node:url'

/** What the environment says, checked before anything is opened. */
export interface Configuration {
  readonly port: number
  /** A directory, or `:memory:`. */
  readonly dataDirectory: string
  /** The address that people type; `null`: `http://127.0.0.1:<port>`. */
  readonly publicUrl: URL | null
  /** `postgres://…`; `null`: SQLite in the data directory. */
  readonly databaseUrl: string | null
  /** `redis://…`, for the records; `null`: they lie in the database. */
  readonly redisUrl: string | null
  readonly mailDirectory: string | null
  readonly secret: string | null
  readonly plainHttpCookies: boolean
  readonly production: boolean
}

export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

/** Where the data lies unless `DATA_DIR` says otherwise: beside the sources, whatever the working directory is. */
export const defaultDataDirectory = fileURLToPath(new URL('../.data', import.meta.url))

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads the service's configuration.
 *
 * @throws ConfigurationError with one sentence that says which variable is wrong and what it may be.
 */
export function readConfiguration(environment: Environment, defaultDataDirectory: string): Configuration {
  const configuration: Configuration = {
    port: readPort(environment.PORT),
    dataDirectory: environment.DATA_DIR || defaultDataDirectory,
    publicUrl: readPublicUrl(environment.PUBLIC_URL),
    databaseUrl: readServerUrl('DATABASE_URL', environment.DATABASE_URL, ['postgres:', 'postgresql:']),
    redisUrl: readServerUrl('REDIS_URL', environment.REDIS_URL, ['redis:', 'rediss:']),
    mailDirectory: environment.MAIL_DIR || null,
    secret: environment.LATCHKEY_SECRET || null,
    plainHttpCookies: readCookies(environment.COOKIES),
    production: readProduction(environment.NODE_ENV),
  }
  if (configuration.databaseUrl !== null) requireSharedSettings(configuration)
  if (configuration.production) refuseDevelopmentSettings(configuration)
  return configuration
}

function readPort(text = ''): number {
  const port = text === '' ? 4000 : Number(text)
  if (/^\d*$/.test(text) && port <= 65_535) return port
  throw new ConfigurationError('PORT must be a number from 0 to 65535 (0 picks a free port).')
}

function readPublicUrl(text = ''): URL | null {
  if (text === '') return null
  const url = URL.canParse(text) ? new URL(text) : null
  if (url && text.replace(/\/$/, '') === url.origin && (url.protocol === 'https:' || isLoopback(url))) return url
  throw new ConfigurationError('PUBLIC_URL must be an https origin without a path, or an http one on this machine.')
}

function readServerUrl(name: string, text = '', protocols: readonly [string, ...string[]]): string | null {
  if (text === '') return null
  if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text
  throw new ConfigurationError(`${name} must be an address that begins with ${protocols[0]}//.`)
}

/** Several processes may share the database: they must share their keys and their name, too. */
function requireSharedSettings({ secret, publicUrl }: Configuration): void {
  if (secret === null)
    throw new ConfigurationError('DATABASE_URL needs LATCHKEY_SECRET: every process must have the same.')
  if (publicUrl === null) throw new ConfigurationError('DATABASE_URL needs PUBLIC_URL: the address that people type.')
}

function readCookies(text = ''): boolean {
  if (text === '' || text === 'plain-http') return text !== ''
  throw new ConfigurationError('COOKIES may only be "plain-http" (weaker cookies, on this machine only) or unset.')
}

/** "prod" or "Production" is a mistake that would open a service with public passwords. */
function readProduction(text = ''): boolean {
  if (['', 'development', 'test', 'production'].includes(text)) return text === 'production'
  throw new ConfigurationError('NODE_ENV must be "production", "development", "test" or unset.')
}

function refuseDevelopmentSettings({ publicUrl, plainHttpCookies }: Configuration): void {
  if (publicUrl?.protocol !== 'https:') {
    throw new ConfigurationError('NODE_ENV=production needs PUBLIC_URL with https.')
  }
  if (plainHttpCookies) throw new ConfigurationError('NODE_ENV=production refuses COOKIES=plain-http.')
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'))
}
