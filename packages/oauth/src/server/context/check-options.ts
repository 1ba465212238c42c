import { checkSecrets } from '@latchkey/bytes/internal'
import { checkOptionNames } from '@latchkey/core/internal'
import { createCors, isLocalPath } from '@latchkey/http'
import { isLoopback } from '../clients/redirect-uri.ts'
import { isScopeToken } from '../parameters/scope.ts'
import type { AuthorizationServerOptions } from './server-options.ts'

/** The scopes of the protocols (OpenID Connect Core §5.4, §11). They are not permissions of the service. */
export const ownScopes: readonly string[] = ['openid', 'profile', 'email', 'offline_access', 'online_access']

const optionNames = {
  issuer: true,
  records: true,
  documents: true,
  aroundGrantChange: true,
  secrets: true,
  keys: true,
  idTokenKeys: true,
  refreshTokens: true,
  resources: true,
  scopes: true,
  defaultScopes: true,
  fixedClients: true,
  metadataClients: true,
  serviceName: true,
  claims: true,
  signedIn: true,
  accountState: true,
  sessionState: true,
  readFamily: true,
  consent: true,
  pages: true,
  errorPage: true,
  logoutPage: true,
  signOut: true,
  clientLimit: true,
  userCodeLimit: true,
  pendingLimit: true,
  addressOf: true,
  sessionSameSite: true,
  transport: true,
  corsOrigins: true,
  accessTokenSeconds: true,
  requestSeconds: true,
  sessionSeconds: true,
  fetch: true,
  logoutTimeoutMs: true,
  now: true,
  storedVersion: true,
  onEvent: true,
} as const

/** @throws TypeError naming the option that is unknown, missing or not valid. */
export function checkOptions(options: AuthorizationServerOptions): void {
  checkOptionNames('createAuthorizationServer', options, optionNames)
  const { issuer, keys, refreshTokens, resources, scopes = [], pages, sessionSameSite } = options
  checkIssuer(issuer)
  checkSecrets(options.secrets)
  if (typeof keys?.signingKey !== 'function') throw new TypeError('"keys" must be a key ring')
  if (typeof refreshTokens?.redeem !== 'function')
    throw new TypeError('"refreshTokens" must be those of createRefreshTokens')
  for (const name of ['claims', 'signedIn', 'accountState'] as const) {
    if (typeof options[name] !== 'function') throw new TypeError(`"${name}" must be a function`)
  }
  if (!Array.isArray(resources) || resources.length === 0 || !resources.every(isResource)) {
    throw new TypeError('"resources" must be one or more absolute addresses without a fragment')
  }
  if (!Array.isArray(scopes) || !scopes.every(isScopeToken)) {
    throw new TypeError('"scopes": each is a text without spaces, quotes and backslashes')
  }
  checkDefaultScopes(options)
  checkMetadataClients(options)
  checkPages(pages)
  checkOrigins(options.corsOrigins)
  if (sessionSameSite !== undefined && sessionSameSite !== 'Lax' && sessionSameSite !== 'Strict') {
    throw new TypeError('"sessionSameSite" must be "Lax" or "Strict"')
  }
  checkTimes(options)
  for (const name of ['fetch', 'aroundGrantChange', 'readFamily', 'sessionState'] as const) {
    const given = options[name]
    if (given !== undefined && typeof given !== 'function') throw new TypeError(`"${name}" must be a function`)
  }
}

function checkDefaultScopes({ defaultScopes, scopes = [] }: AuthorizationServerOptions): void {
  if (defaultScopes === undefined) return
  const known = [...ownScopes, ...scopes]
  if (
    !Array.isArray(defaultScopes) ||
    defaultScopes.length === 0 ||
    !defaultScopes.every((one) => known.includes(one))
  ) {
    throw new TypeError('"defaultScopes" must be scopes of this server')
  }
}

/** `createClientIdCheck` checks the hosts. */
function checkMetadataClients({ metadataClients, serviceName, scopes = [] }: AuthorizationServerOptions): void {
  if (serviceName !== undefined && typeof serviceName !== 'string') throw new TypeError('"serviceName" must be a text')
  if (metadataClients === undefined) return
  checkOptionNames('"metadataClients"', metadataClients, { from: true, except: true, scopes: true })
  const { scopes: given } = metadataClients
  const known = [...ownScopes, ...scopes]
  if (!Array.isArray(given) || given.length === 0 || !given.every((scope) => known.includes(scope))) {
    throw new TypeError('"metadataClients.scopes" must be scopes of this server')
  }
}

function checkIssuer(issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : null
  if (url?.origin !== issuer || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('"issuer" must be an origin like https://id.example.com, without a path and a slash')
  }
  if (url.protocol === 'http:' && !isLoopback(url)) {
    throw new TypeError('"issuer" may be http: only on loopback')
  }
}

function isResource(resource: unknown): boolean {
  return typeof resource === 'string' && URL.canParse(resource) && !resource.includes('#')
}

function checkPages(pages: AuthorizationServerOptions['pages']): void {
  const { signIn, consent, device = '/device' } = pages ?? {}
  for (const [name, path] of Object.entries({ signIn, consent, device })) {
    if (typeof path !== 'string' || !isLocalPath(path) || path.includes('?') || path.includes('#')) {
      throw new TypeError(`"pages.${name}" must be a path of this service, like /sign-in`)
    }
  }
}

/** Checks the origins at the start, because they are otherwise first read by a request. */
function checkOrigins(corsOrigins: readonly string[] = []): void {
  try {
    createCors({ origins: corsOrigins })
  } catch (cause) {
    throw new TypeError('"corsOrigins": each is an origin like https://app.example.com, without a path and a slash', {
      cause,
    })
  }
}

/** Checks the given numbers. The defaults of omitted numbers are within the limits. */
function checkTimes({
  accessTokenSeconds,
  requestSeconds,
  sessionSeconds,
  logoutTimeoutMs,
}: AuthorizationServerOptions) {
  checkNumber('accessTokenSeconds', accessTokenSeconds, 300, 900)
  checkNumber('requestSeconds', requestSeconds, 60, 86_400)
  checkNumber('sessionSeconds', sessionSeconds, 60, 34_560_000)
  checkNumber('logoutTimeoutMs', logoutTimeoutMs, 100, 30_000)
}

function checkNumber(name: string, given: number | undefined, least: number, most: number): void {
  if (given === undefined || (Number.isSafeInteger(given) && given >= least && given <= most)) return
  throw new TypeError(`"${name}" must be a whole number from ${least} to ${most}`)
}
