import type {
  allowUnlimitedAttempts,
  EmailCode,
  GuessingLimitsOptions,
  PasskeysFactor,
  ProvidersOptions,
  RecoveryCodesFactor,
  RememberDevices,
  SecondFactorPolicy,
  TotpFactor,
} from '@latchkey/accounts'
import type { SecretKeys } from '@latchkey/bytes'
import type { BreachCheckOptions, PasswordHasher, PasswordPolicy } from '@latchkey/password'
import type { CounterStore, FactorStore, RecordStore } from '@latchkey/store'
import type { ProviderClient } from '../../settings/providers/provider-client.ts'

/** What `recoveryCodes` is called with: the options of `createRecoveryCodes` of `@latchkey/totp`. */
export interface RecoveryCodeParts {
  readonly factors: FactorStore
  readonly secrets: SecretKeys
  readonly now: () => number
  readonly storedVersion: () => number
}

/** What `totp` is called with: the options of `createTotp` of `@latchkey/totp`. */
export interface TotpParts extends RecoveryCodeParts {
  readonly lockouts: CounterStore
  /** The host of `baseUrl`. */
  readonly issuer: string
}

/** What `passkeys` is called with: the options of `createPasskeys` of `@latchkey/passkeys`. */
export interface PasskeyParts {
  readonly factors: FactorStore
  readonly records: RecordStore
  readonly secrets: SecretKeys
  /** The host of `baseUrl`, in development on this machine `localhost`; and the origins that are on it. */
  readonly relyingParty: {
    readonly id: string
    readonly name: string
    readonly origins: readonly [string, ...string[]]
    /** Those of `http.allowedOrigins` that are on other domains. */
    readonly relatedOrigins: readonly string[]
  }
  readonly now: () => number
}

/** Passkeys that say on which other domains pages may use them, as those of `createPasskeys` do. */
export interface ServicePasskeys extends PasskeysFactor {
  /** What `/.well-known/webauthn` answers; `null` or omitted: there is no such page. */
  readonly relatedOrigins?: { readonly origins: readonly string[] } | null
}

/** How people sign in. A factor that is omitted has neither operations nor pages. */
export interface SignInOptions<Role extends string = string> {
  /** Omitted: Argon2id outside the event loop. A hasher of yours is yours to close. */
  readonly passwordHasher?: PasswordHasher
  /** Omitted: at least 15 characters, and no common password. */
  readonly passwordPolicy?: PasswordPolicy
  /**
   * Looks new passwords up in known breaches, by the options of `createBreachCheck` of `@latchkey/password`:
   * `{ whenUnavailable: 'accept' }`, or `'refuse'`, is for a time at which that cannot be done. Each such password is the event
   * `breach-check.failed`. Refused beside `passwordPolicy`, which has a `breachCheck` of its own. Omitted: nothing is asked of
   * anyone.
   */
  readonly breachedPasswords?: Omit<BreachCheckOptions, 'onEvent' | 'now'>
  /**
   * Codes of an authenticator app: `createTotp` of `@latchkey/totp`, or a function that calls it with options of yours. Needs
   * `stores.factors`, `stores.lockouts` or durable `stores.counters`, and `recoveryCodes`.
   */
  readonly totp?: (parts: TotpParts) => TotpFactor
  /**
   * Passkeys: `createPasskeys` of `@latchkey/passkeys`, or a function that calls it with options of yours. Needs
   * `stores.factors` and `recoveryCodes`.
   */
  readonly passkeys?: (parts: PasskeyParts) => ServicePasskeys
  /** The way back for who has lost a factor: `createRecoveryCodes` of `@latchkey/totp`. */
  readonly recoveryCodes?: (parts: RecoveryCodeParts) => RecoveryCodesFactor
  /**
   * Which accounts must have a second factor, `'all'` or by role, and how long they may do without: 7 days from their first
   * sign-in under the policy unless `graceSeconds` says otherwise. After that nothing is open to them but what leads to a
   * factor, or out, and fields with `@beforeEnrollment`. Needs `totp` or `passkeys`. Omitted: none must have one.
   */
  readonly secondFactor?: SecondFactorPolicy<Role>
  /**
   * Lets people ask, after a second factor, that this device needs only the password for some days: `{ days: 30 }`. Needs
   * `totp` or `passkeys`. Omitted: every sign-in asks for the second factor.
   */
  readonly trustedDevices?: RememberDevices
  /**
   * Lets people sign in by a code of a mail in place of the password: `{}`, or `{ lifetimeSeconds }`, 60 to 600. It is a first
   * factor as the password is.
   */
  readonly emailCode?: EmailCode
  /**
   * Lets people sign in with providers. With `clients` the service has the routes and pages for it; with `{}` the callbacks come to
   * routes of the application, which pass their verdicts to `signInWithProvider`. Needs `stores.links`.
   */
  readonly providers?: ProvidersOptions & {
    /**
     * Clients of providers, as `createOAuthClient` of `@latchkey/oauth/client` returns them, by their names in the paths of the
     * service: 1 to 32 lower-case letters and digits, with hyphens between them. The redirect URI of each is
     * `/sign-in/with/<name>/callback` of `baseUrl`.
     * @default {}, so callbacks come to routes of the application
     */
    readonly clients?: Readonly<Record<string, ProviderClient>>
    /** What the pages call them. @default `Google` and so on for what `@latchkey/oauth` knows, else the name in the paths */
    readonly labels?: Readonly<Record<string, string>>
  }
  /**
   * How many passwords and codes may be wrong, by the options of `createGuessingLimits` of `@latchkey/accounts`.
   * `allowUnlimitedAttempts` lets anyone guess without end: for a test.
   */
  readonly attemptLimits?:
    | Omit<GuessingLimitsOptions, 'counters' | 'lockouts' | 'secrets' | 'now'>
    | typeof allowUnlimitedAttempts
  /**
   * How long a device is recognized after its last sign-in, and its cookie, in seconds.
   * @default 15552000 (180 days)
   */
  readonly knownDeviceSeconds?: number
}
