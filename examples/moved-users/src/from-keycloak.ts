import type { AccountStore } from '@latchkey/accounts'
import type { Totp } from '@latchkey/totp'
import { moveAccount, moveAll, type OldUser } from './move-account.ts'
import { createLinkMover, type LinkOptions, type MovedWithLinks } from './provider-links.ts'

/** A user in the files that `kc.sh export` writes, with the members that the move reads. */
export interface KeycloakUser {
  readonly id: string
  readonly username: string
  readonly email?: string
  readonly emailVerified?: boolean
  readonly enabled?: boolean
  readonly firstName?: string
  readonly lastName?: string
  /** Roles of the realm. Roles that a user has by a group or by a composite role are not in the export. */
  readonly realmRoles?: readonly string[]
  readonly requiredActions?: readonly string[]
  readonly credentials?: readonly KeycloakCredential[]
  readonly federatedIdentities?: readonly { readonly identityProvider: string; readonly userId: string }[]
}

/** Both members are JSON in a string. */
export interface KeycloakCredential {
  readonly type: string
  readonly secretData?: string
  readonly credentialData?: string
}

/** Its `issuers` have the aliases of the identity providers as names. */
export interface KeycloakMove extends LinkOptions {
  readonly users: readonly KeycloakUser[]
  readonly accounts: AccountStore
  readonly totp: Totp
  /** Returns the roles of the new account. */
  readonly rolesOf: (user: KeycloakUser) => readonly string[]
  /** The status of users whose address was not verified, as in `BetterAuthMove`. */
  readonly unproven: 'active' | 'unverified'
}

/** Moves the users of a realm with their passwords, authenticator apps and links to providers. */
export async function moveFromKeycloak(options: KeycloakMove): Promise<MovedWithLinks> {
  const { users, accounts, totp } = options
  const byId = new Map(users.map((user) => [user.id, user]))
  const { moveLinks, unlinked } = createLinkMover(options)
  const moved = await moveAll(
    users.map((user) => toOldUser(user, options)),
    (old) =>
      moveAccount(accounts, old, async (id) => {
        const { credentials = [], federatedIdentities = [] } = byId.get(id) ?? {}
        const enrolled = await moveApp(totp, id, credentials)
        const links = federatedIdentities.map(({ identityProvider: provider, userId: subject }) => ({
          provider,
          subject,
        }))
        if (enrolled) await moveLinks(id, links)
        return enrolled
      }),
  )
  return { ...moved, unlinked }
}

function toOldUser(user: KeycloakUser, { rolesOf, unproven }: KeycloakMove): OldUser {
  // A temporary password is known to the administrator who has set it.
  const isTemporary = user.requiredActions?.includes('UPDATE_PASSWORD') ?? false
  const password = isTemporary ? undefined : user.credentials?.find(({ type }) => type === 'password')
  return {
    id: user.id,
    email: user.email ?? user.username,
    name: [user.firstName, user.lastName].filter(Boolean).join(' ') || user.username,
    roles: rolesOf(user),
    status: !user.enabled ? 'disabled' : user.emailVerified ? 'active' : unproven,
    passwordHash: password ? writeKeycloakHash(password) : null,
  }
}

/** Returns the hash in the notation of `@latchkey/password`, which cannot read a hash of an unknown algorithm. */
function writeKeycloakHash({ secretData, credentialData }: KeycloakCredential): string {
  const { value, salt } = readJson(secretData)
  const { algorithm, hashIterations, additionalParameters } = readJson(credentialData)
  if (algorithm !== 'argon2') return `$${algorithm}$i=${hashIterations}$${salt}$${value}`
  const { type, version, memory, parallelism } = Object(additionalParameters)
  // Keycloak names the version 19 of Argon2 `1.3`.
  const kind = `argon2${type?.[0]}$v=${version?.[0] === '1.3' ? 19 : version?.[0]}`
  const texts = [salt, value].map((text) => String(text).replace(/=+$/, ''))
  return `$${kind}$m=${memory?.[0]},t=${hashIterations},p=${parallelism?.[0]}$${texts.join('$')}`
}

/**
 * Imports the authenticator app of a user, and returns the kinds of the second factors. `null`: the second factor cannot
 * be moved. It is a security key or a recovery code only, a second app, or an app with other parameters than six
 * digits, 30 seconds and SHA-1.
 */
async function moveApp(
  totp: Totp,
  id: string,
  credentials: readonly KeycloakCredential[],
): Promise<readonly string[] | null> {
  const [app, ...otherApps] = credentials.filter(({ type }) => type === 'otp')
  const hasOthers = credentials.some(({ type }) => type === 'webauthn' || type === 'recovery-authn-codes')
  if (!app) return hasOthers ? null : []
  const { subType, digits, period, algorithm, secretEncoding } = readJson(app.credentialData)
  const isUsual = subType === 'totp' && digits === 6 && period === 30 && algorithm === 'HmacSHA1' && !secretEncoding
  // Keycloak computes codes with the bytes of this text. It is base32 only if `secretEncoding` is set.
  const secret = new TextEncoder().encode(String(readJson(app.secretData).value ?? ''))
  if (otherApps.length > 0 || !isUsual || secret.length < 16 || secret.length > 64) return null
  await totp.importSecret(id, secret)
  return ['totp']
}

/** Returns the members of a JSON object, or no members if the text is no JSON. */
function readJson(text = ''): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
