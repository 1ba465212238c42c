import type { RecoveryCodesFactor, TotpFactor } from '@latchkey/accounts'
import { readSecondFactorPolicy, readTrustedDevices } from '@latchkey/accounts/internal'
import { deriveSecrets, type SecretKeys } from '@latchkey/bytes'
import type { DocumentStore, RecordStore } from '@latchkey/store'
import type { OfferedFactors } from '../../schema/schema-offer.ts'
import type { BaseUrl } from '../base-url.ts'
import { namedByPath } from '../named-by-path.ts'
import type { FlatOptions } from './flat-options.ts'
import { noteOrigins, type OriginNotes } from './passkey-origins.ts'

type SecondFactorOptions = Pick<FlatOptions, 'totp' | 'passkeys' | 'recoveryCodes' | 'secondFactor' | 'rememberDevices'>

type Passkeys = Required<FlatOptions>['passkeys']

interface Options extends SecondFactorOptions {
  readonly policy: { readonly roles: readonly string[] }
  readonly stores: {
    readonly records: RecordStore
    readonly documents: DocumentStore
  }
}

export function offeredFactors({ totp, passkeys, rememberDevices }: SecondFactorOptions): OfferedFactors {
  return {
    totp: totp !== undefined,
    passkeys: passkeys !== undefined,
    rememberedDevices: rememberDevices !== undefined,
  }
}

export function areFactorsOffered({ totp, passkeys }: SecondFactorOptions): boolean {
  return totp !== undefined || passkeys !== undefined
}

/** @throws TypeError that names what a factor lacks: an owner who enrols it without that would be locked out one day. */
export function checkSecondFactors(options: Options): void {
  const { totp, passkeys, recoveryCodes } = options
  for (const [name, create] of Object.entries({ totp, passkeys, recoveryCodes })) {
    if (create !== undefined && typeof create !== 'function') {
      throw new TypeError(`"signIn.${name}" must be a function that creates it, or omitted`)
    }
  }
  checkRequired(options)
  const offered = totp ? 'totp' : passkeys ? 'passkeys' : null
  if (offered === null) {
    if (recoveryCodes) throw new TypeError('"signIn.recoveryCodes" needs "signIn.totp" or "signIn.passkeys"')
    return
  }
  if (!recoveryCodes) throw new TypeError(`"signIn.${offered}" needs "signIn.recoveryCodes"`)
}

/** These are used when the service opens; a wrong one is refused now. */
function checkRequired({ secondFactor, policy, ...offered }: Options): void {
  if (secondFactor === undefined) return
  if (!areFactorsOffered(offered)) throw new TypeError('"signIn.secondFactor" needs "signIn.totp" or "signIn.passkeys"')
  const { required } = namedByPath({}, () => readSecondFactorPolicy(secondFactor))
  const unknown = required === 'all' ? undefined : required.find((role) => !policy.roles.includes(role))
  if (unknown !== undefined)
    throw new TypeError(`"signIn.secondFactor.required": "${unknown}" is not a role of the policy`)
}

/** @throws TypeError that names what cannot be used. */
export function checkRememberDevices(options: SecondFactorOptions): void {
  const { rememberDevices } = options
  if (rememberDevices === undefined) return
  if (!areFactorsOffered(options))
    throw new TypeError('"signIn.trustedDevices" needs "signIn.totp" or "signIn.passkeys"')
  namedByPath({}, () => readTrustedDevices(rememberDevices))
}

/** @throws TypeError if browsers cannot use passkeys at the host of the service. */
export function checkPasskeyDomain({ passkeys }: SecondFactorOptions, { origin }: Pick<BaseUrl, 'origin'>): void {
  const { hostname } = new URL(origin)
  if (!passkeys || !isAddress(hostname) || isLoopback(hostname)) return
  throw new TypeError('"signIn.passkeys" needs a "baseUrl" with a domain: browsers know no passkeys of an address')
}

/** The parts of an open service that its factors use. */
export interface SecondFactorParts {
  readonly base: BaseUrl
  readonly secrets: SecretKeys
  readonly now: () => number
  readonly storedVersion: () => number
  /** `null`: no origin is announced. */
  readonly refusedOrigins: OriginNotes | null
}

/** The factors of an open service. */
export interface SecondFactors {
  readonly totp?: TotpFactor
  readonly passkeys?: ReturnType<Passkeys>
  readonly recoveryCodes?: RecoveryCodesFactor
}

/** Creates the factors, each with secrets that are derived for it alone. */
export function createSecondFactors(
  { totp, passkeys, recoveryCodes, stores }: Options,
  { base, secrets, now, storedVersion, refusedOrigins }: SecondFactorParts,
): SecondFactors {
  const { documents, records } = stores
  const common = { documents, now }
  const secretsOf = (purpose: string): SecretKeys => deriveSecrets(secrets, purpose)
  const issuer = new URL(base.origin).hostname
  const createPasskeys = (create: NonNullable<typeof passkeys>) => {
    const created = create({ ...common, records, relyingParty: relyingPartyOf(base), secrets: secretsOf('passkeys') })
    return refusedOrigins ? noteOrigins(created, refusedOrigins) : created
  }
  return {
    ...(totp && { totp: totp({ ...common, issuer, storedVersion, secrets: secretsOf('totp') }) }),
    ...(passkeys && { passkeys: createPasskeys(passkeys) }),
    ...(recoveryCodes && {
      recoveryCodes: recoveryCodes({ ...common, storedVersion, secrets: secretsOf('recovery-codes') }),
    }),
  }
}

/** Names the relying party by domain or `localhost`: browsers refuse passkeys for IP addresses. */
function relyingPartyOf({
  origin,
  origins,
}: Pick<BaseUrl, 'origin' | 'origins'>): Parameters<Passkeys>[0]['relyingParty'] {
  const { hostname, protocol, port } = new URL(origin)
  const isLocal = isLoopback(hostname)
  const id = isLocal ? 'localhost' : hostname
  const own = isLocal ? `${protocol}//localhost${port === '' ? '' : `:${port}`}` : origin
  const named = [...new Set(origins)].filter((one) => one !== own && !isAddress(new URL(one).hostname))
  const isOnDomain = (one: string): boolean => `.${new URL(one).hostname}`.endsWith(`.${id}`)
  return {
    id,
    name: hostname,
    origins: [own, ...named.filter(isOnDomain)],
    relatedOrigins: named.filter((one) => !isOnDomain(one) && one.startsWith('https:')),
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname)
}

function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(hostname)
}
