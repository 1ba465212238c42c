import { checkSecrets } from '@latchkey/bytes/internal'
import { checkOptionNames } from '@latchkey/core/internal'
import { checkStores } from '@latchkey/store/internal'
import { isPlainLoopback, isSecureAddress } from '../connection/provider-address.ts'
import type { Provider } from '../contract/provider.ts'
import { allowPublicClient, type OAuthClientOptions } from './client-options.ts'

const optionNames = {
  clientId: true,
  clientSecret: true,
  privateKey: true,
  redirectUri: true,
  sharesRedirectUri: true,
  provider: true,
  records: true,
  secrets: true,
  scopes: true,
  offline: true,
  timeoutMs: true,
  transport: true,
  fetch: true,
  now: true,
  onEvent: true,
} as const

/** @throws TypeError naming the option that is unknown, missing or not valid. */
export function checkOptions(options: OAuthClientOptions): void {
  checkOptionNames('createOAuthClient', options, optionNames)
  const { clientId, redirectUri, provider, scopes, timeoutMs = 5000, fetch = globalThis.fetch } = options
  if (typeof clientId !== 'string' || clientId === '') throw new TypeError('"clientId" must be a text')
  checkCredential(options)
  if (!isSecureAddress(redirectUri, { allowsLoopback: true })) {
    throw new TypeError('"redirectUri" must be an absolute https address without a fragment; http is for loopback only')
  }
  checkStores({ records: options.records })
  checkSecrets(options.secrets)
  checkProvider(provider)
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every(isScope))) {
    throw new TypeError('"scopes": each is a text without spaces, quotes and backslashes')
  }
  if (provider.protocol === 'openid' && scopes !== undefined && !scopes.includes('openid')) {
    throw new TypeError('"scopes" must have "openid": without it no id token says who a user is')
  }
  if (options.sharesRedirectUri && provider.protocol === 'oauth') {
    throw new TypeError('"sharesRedirectUri" must be omitted: this provider does not name itself in its answers')
  }
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 100 || timeoutMs > 30_000) {
    throw new TypeError('"timeoutMs" must be a whole number of milliseconds from 100 to 30000')
  }
  if (typeof fetch !== 'function') throw new TypeError('"fetch" must be a function')
}

function checkCredential({ clientSecret, privateKey, provider }: OAuthClientOptions): void {
  if ((clientSecret === undefined) === (privateKey === undefined)) {
    throw new TypeError(
      '"clientSecret" or "privateKey" must be given, and not both; allowPublicClient is for a client without',
    )
  }
  const isSecret = typeof clientSecret === 'string' ? clientSecret !== '' : clientSecret === allowPublicClient
  if (clientSecret !== undefined && !isSecret) {
    throw new TypeError('"clientSecret" must be a text or allowPublicClient')
  }
  if (privateKey !== undefined && (typeof privateKey?.id !== 'string' || privateKey.key?.type !== 'private')) {
    throw new TypeError('"privateKey" must be { id, key }, where key is a private CryptoKey')
  }
  if (provider?.clientSecretOf && !privateKey)
    throw new TypeError('"privateKey" must be given: this provider asks for it')
}

function isScope(scope: unknown): boolean {
  return typeof scope === 'string' && /^[!#-[\]-~]+$/.test(scope)
}

/** Parameters that the client sets: they protect the sign-in or have their own options. */
const ownParameters: ReadonlySet<string> = new Set([
  ...[
    'client_id',
    'response_type',
    'redirect_uri',
    'scope',
    'state',
    'nonce',
    'code_challenge',
    'code_challenge_method',
  ],
  ...['response_mode', 'request', 'request_uri', 'max_age', 'login_hint', 'acr_values'],
])

function checkProvider(provider: Provider): void {
  if (provider?.protocol !== 'openid' && provider?.protocol !== 'oauth') {
    throw new TypeError('"provider" must be one of providers, or have a protocol of "openid" or "oauth"')
  }
  const { name, issuer, parameters = {}, offline = {} } = provider
  if (typeof name !== 'string' || !/^[a-z][a-z\d-]{0,31}$/.test(name)) {
    throw new TypeError('"provider": its name has up to 32 lower-case letters, digits and hyphens')
  }
  if (!isSecureAddress(issuer, { allowsLoopback: true }) || issuer.includes('?')) {
    throw new TypeError(
      '"provider": its issuer must be an https address without query and fragment; http is for loopback only',
    )
  }
  const names = Object.keys({ ...parameters, ...offline.parameters })
  const own = names.find((parameter) => ownParameters.has(parameter))
  if (own !== undefined) throw new TypeError(`"provider": the parameter "${own}" is written by the client`)
  if (provider.protocol === 'openid') checkAlgorithms(provider.idTokenAlgorithms)
  else checkEndpoints(provider)
}

function checkAlgorithms(algorithms: readonly string[]): void {
  const isAllowed = (name: string): boolean => /^(?:[RPE]S(?:256|384|512)|EdDSA|Ed25519)$/.test(name)
  if (!Array.isArray(algorithms) || algorithms.length === 0 || !algorithms.every(isAllowed)) {
    throw new TypeError(
      '"provider": idTokenAlgorithms names asymmetric algorithms, never "none" and none that begins with HS',
    )
  }
}

function checkEndpoints({ issuer, endpoints, userEndpoints }: Extract<Provider, { protocol: 'oauth' }>): void {
  const allowsLoopback = isPlainLoopback(issuer)
  const addresses = [endpoints?.authorization, endpoints?.token, ...(userEndpoints ?? [undefined])]
  if (endpoints?.revocation !== undefined) addresses.push(endpoints.revocation)
  if (!addresses.every((address) => isSecureAddress(address, { allowsLoopback }))) {
    throw new TypeError('"provider": its endpoints must be https addresses')
  }
}
