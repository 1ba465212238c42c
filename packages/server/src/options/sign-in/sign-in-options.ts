import type {
  AccountsOptions,
  allowUnlimitedAttempts,
  createAttemptLimits,
  PasskeysFactor,
  RecoveryCodesFactor,
  TotpFactor,
} from '@latchkey/accounts'
import type { SecretKeys } from '@latchkey/bytes'
import type { BreachCheckOptions, PasswordHasher, PasswordPolicy } from '@latchkey/password'
import type { AnyPolicy, RoleOf } from '@latchkey/rbac'
import type { DocumentStore, RecordStore } from '@latchkey/store'
import type { Inline } from '../inline.ts'
import type { ProviderClient } from './provider-client.ts'

/** The ways to sign in. An omitted factor has no operations and no pages. */
export interface SignInOptions<P extends AnyPolicy> {
  /** Omitted: Argon2id outside the event loop. The application closes its own hasher. */
  readonly passwordHasher?: PasswordHasher
  /** Omitted: at least 15 characters, and no common password. */
  readonly passwordPolicy?: PasswordPolicy
  /**
   * Looks up new passwords in known breaches, with the options of `createBreachCheck` of `@latchkey/password`. If a
   * lookup fails, `whenUnavailable` says whether to `'accept'` or `'refuse'` the password, and the event
   * `breach-check.failed` is emitted. A `TypeError` together with `passwordPolicy`, which has its own `breachCheck`.
   * Omitted: no lookups.
   */
  readonly breachedPasswords?: Omit<BreachCheckOptions, 'onEvent' | 'now'>
  /**
   * Codes of an authenticator app: `createTotp` of `@latchkey/totp`, or a function that calls it with options of yours. Needs
   * `stores.documents` and `recoveryCodes`.
   */
  readonly totp?: (parts: {
    readonly documents: DocumentStore
    readonly secrets: SecretKeys
    readonly now: () => number
    readonly storedVersion: () => number
    /** The host of `baseUrl`. */
    readonly issuer: string
  }) => TotpFactor
  /**
   * Passkeys: `createPasskeys` of `@latchkey/passkeys`, or a function that calls it with options of yours. Needs
   * `stores.documents` and `recoveryCodes`.
   */
  readonly passkeys?: (parts: {
    readonly documents: DocumentStore
    readonly records: RecordStore
    readonly secrets: SecretKeys
    readonly now: () => number
    /** The host of `baseUrl`, or `localhost` in development on loopback, and its origins. */
    readonly relyingParty: {
      readonly id: string
      readonly name: string
      readonly origins: readonly [string, ...string[]]
      /** The origins of `http.allowedOrigins` on other domains. */
      readonly relatedOrigins: readonly string[]
    }
  }) => PasskeysFactor & {
    /** The response of `/.well-known/webauthn`; `null` or omitted: 404. */
    readonly relatedOrigins?: { readonly origins: readonly string[] } | null
  }
  /** Codes for people who have lost a factor: `createRecoveryCodes` of `@latchkey/totp`. */
  readonly recoveryCodes?: (parts: {
    readonly documents: DocumentStore
    readonly secrets: SecretKeys
    readonly now: () => number
    readonly storedVersion: () => number
  }) => RecoveryCodesFactor
  /**
   * The accounts that must have a second factor, `'all'` or by role. They have 7 days from their first sign-in under the policy
   * to set one up, or `graceSeconds`. Later they can only set up a factor, sign out, and use fields with `@beforeEnrollment`.
   * Needs `totp` or `passkeys`. Omitted: a second factor is optional.
   */
  readonly secondFactor?: {
    /** `'all'` accounts, or accounts with any of these roles. Inherited roles do not count: name both. */
    readonly required: 'all' | readonly RoleOf<P>[]
    /**
     * The time in which an account may do without, from its first sign-in under the policy. With 0 it can only set up a factor
     * and sign out.
     * @default 604_800 (7 days)
     */
    readonly graceSeconds?: number
  }
  /**
   * Lets people trust a device after a second factor, so that it needs only the password for some days: `{ days: 30 }`. Needs
   * `totp` or `passkeys`. Omitted: every sign-in needs the second factor.
   */
  readonly trustedDevices?: Required<AccountsOptions['signIn']>['trustedDevices']
  /**
   * Lets people sign in with a code from a mail instead of the password: `{}`, or `{ lifetimeSeconds }`, 60 to 600. The code is a
   * first factor, as the password is.
   */
  readonly emailCode?: Required<AccountsOptions['signIn']>['emailCode']
  /**
   * Lets people sign in with providers. With `clients` the service has the routes and pages for it; with `{}` the callbacks come to
   * routes of the application, which pass their verdicts to `signInWithProvider`.
   */
  readonly providers?: Required<AccountsOptions['signIn']>['providers'] & {
    /**
     * Clients of providers, as `createOAuthClient` of `@latchkey/oauth/client` returns them, by their names in the paths of the
     * service: 1 to 32 lower-case letters and digits, with hyphens between them. The redirect URI of each is
     * `/sign-in/with/<name>/callback` of `baseUrl`.
     * @default {}, so callbacks come to routes of the application
     */
    readonly clients?: Readonly<Record<string, Inline<ProviderClient>>>
    /** The names on the pages. @default `Google` and so on for the presets of `@latchkey/oauth`, else the name in the paths */
    readonly labels?: Readonly<Record<string, string>>
  }
  /**
   * The limits on wrong passwords and codes, with the options of `createAttemptLimits` of `@latchkey/accounts`.
   * `allowUnlimitedAttempts` turns all of them off, for tests.
   */
  readonly attemptLimits?:
    | Omit<Parameters<typeof createAttemptLimits>[0], 'counters' | 'lockouts' | 'secrets' | 'now'>
    | typeof allowUnlimitedAttempts
  /**
   * The time after its last sign-in in which a device is recognized, and the lifetime of its cookie, in seconds.
   * @default 15552000 (180 days)
   */
  readonly knownDeviceSeconds?: number
}
