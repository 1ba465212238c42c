import { longestKeyDays } from '@latchkey/accounts/internal'
import type { HostCheck, HttpRequest } from '@latchkey/http'
import type { PasswordPolicy } from '@latchkey/password'
import type { AnyPolicy, Identity } from '@latchkey/rbac'
import type { BaseUrl } from '../options/base-url.ts'
import { offeredLife } from '../options/server/account-life.ts'
import { mayGrantToKey } from '../options/server/api-keys.ts'
import type { OfferedLife } from '../schema/schema-offer.ts'

/** The parts of the service that have pages. */
export interface OfferedParts extends OfferedLife {
  readonly totp: boolean
  readonly passkeys: boolean
  /** OAuth clients. */
  readonly oauth: boolean
  /** Codes of mails. */
  readonly emailCode: boolean
  /** Providers that users sign in with by the routes of the service. */
  readonly providers: boolean
  /** Whether people open accounts themselves. */
  readonly signUp: boolean
  /** Whether administrators act as other accounts. */
  readonly impersonation: boolean
  /** Whether programs act for accounts with keys. */
  readonly apiKeys: boolean
}

/** The offers to the user of a request. */
export interface PageOffers extends OfferedParts {
  /**
   * The scopes of keys, the scopes that the account may grant now, and the longest lifetime in days; `null` without
   * keys.
   */
  readonly keys: (Required<KeyOptions> & { readonly grantable: () => readonly string[] }) | null
  /** For how many days a device is remembered; `null`: not at all. */
  readonly rememberDays: number | null
  /**
   * The same service at a host that passkeys support, for example `http://localhost:4000` instead of an IP address;
   * `null` if the host of the request supports them.
   */
  readonly passkeyOrigin: string | null
  /** The least number of characters of a new password; `null`: the policy does not say. */
  readonly passwordCharacters: number | null
}

interface KeyOptions {
  readonly scopes: readonly string[]
  readonly maxDays?: number
}

export interface OfferedPlan {
  readonly options: Parameters<typeof offeredLife>[0] & {
    readonly totp?: unknown
    readonly passkeys?: unknown
    readonly oauth?: unknown
    readonly emailCode?: unknown
    readonly providers?: { readonly clients?: object }
    readonly signUp: unknown
    readonly impersonation?: unknown
    readonly apiKeys?: KeyOptions
    readonly rememberDevices?: { readonly days: number }
  }
  readonly policy: AnyPolicy
  readonly base: BaseUrl
  readonly hosts: HostCheck
  readonly passwordPolicy: PasswordPolicy
}

export function offeredParts({ options }: Pick<OfferedPlan, 'options'>): OfferedParts {
  return {
    totp: options.totp !== undefined,
    passkeys: options.passkeys !== undefined,
    oauth: options.oauth !== undefined,
    emailCode: options.emailCode !== undefined,
    providers: Object.keys(options.providers?.clients ?? {}).length > 0,
    signUp: options.signUp !== 'closed',
    impersonation: options.impersonation !== undefined,
    apiKeys: options.apiKeys !== undefined,
    ...offeredLife(options),
  }
}

/** Returns what the service offers at the host of a request. */
export function offersAt(request: HttpRequest, plan: OfferedPlan, identity: Identity | null): PageOffers {
  const verdict = plan.hosts.check(request)
  return {
    ...offeredParts(plan),
    keys: keysFor(plan, identity),
    rememberDays: plan.options.rememberDevices?.days ?? null,
    passkeyOrigin: verdict.ok ? originForPasskeys(verdict.host, plan.base) : null,
    passwordCharacters: plan.passwordPolicy.minimumCharacters ?? null,
  }
}

function keysFor({ options: { apiKeys }, policy }: OfferedPlan, identity: Identity | null): PageOffers['keys'] {
  if (apiKeys === undefined) return null
  const { scopes, maxDays = longestKeyDays } = apiKeys
  const owner = identity && { id: identity.subject, roles: identity.roles }
  const grantable = () => (owner ? scopes.filter((scope) => mayGrantToKey(policy, scopes, owner, scope)) : [])
  return { scopes, maxDays, grantable }
}

/** Passkeys belong to a domain name, not to an IP address (WebAuthn §5.1.3). On loopback, `localhost` is the name. */
function originForPasskeys(host: string, { origin, environment }: BaseUrl): string | null {
  const { hostname, port } = new URL(`http://${host}`)
  if (environment === 'production' || !/^(?:127(?:\.\d+){3}|\[::1\])$/.test(hostname)) return null
  return `${new URL(origin).protocol}//localhost${port === '' ? '' : `:${port}`}`
}
