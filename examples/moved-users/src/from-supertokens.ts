import type { AccountStore } from '@latchkey/accounts'
import type { Totp } from '@latchkey/totp'
import { moveAccount, moveAll, type OldUser } from './move-account.ts'
import { createLinkMover, type LinkOptions, type MovedWithLinks } from './provider-links.ts'

/** A line that `supertokens.sql` writes: a user with all linked sign-in methods. */
export interface SuperTokensUser {
  /** The external id of the user mapping, or the id of SuperTokens without a mapping. */
  readonly id: string
  readonly methods: readonly SuperTokensMethod[]
  /** The verified devices with TOTP. `secret` is base32, `period` is in seconds. */
  readonly apps: readonly { readonly secret: string; readonly period: number }[]
  /** The second factors of which the user must pass one, for example `totp` and `otp-email`. */
  readonly requiredFactors: readonly string[] | null
  readonly roles: readonly string[]
}

export interface SuperTokensMethod {
  readonly recipe: 'emailpassword' | 'thirdparty' | 'passwordless'
  /** `null`: a user of `passwordless` with a phone number. */
  readonly email: string | null
  readonly verified: boolean
  readonly passwordHash: string | null
  readonly provider: string | null
  readonly subject: string | null
}

/** Its `issuers` have the third-party ids of SuperTokens as names. */
export interface SuperTokensMove extends LinkOptions {
  readonly users: readonly SuperTokensUser[]
  readonly accounts: AccountStore
  readonly totp: Totp
  /** Returns the roles of the new account. */
  readonly rolesOf: (user: SuperTokensUser) => readonly string[]
  /** The status of users whose address was not verified, as in `BetterAuthMove`. */
  readonly unproven: 'active' | 'unverified'
  /** `firebase_password_hashing_signer_key` of the core. Hashes of Firebase are not moved without this key. */
  readonly firebaseSignerKey?: string
}

/** Moves the users of SuperTokens with their passwords, authenticator apps and links to providers. */
export async function moveFromSuperTokens(options: SuperTokensMove): Promise<MovedWithLinks> {
  const { users, accounts, totp } = options
  const byId = new Map(users.map((user) => [user.id, user]))
  const { moveLinks, unlinked } = createLinkMover(options)
  const several = users.filter((user) => passwordsOf(user).length > 1).map(({ id }) => id)
  const { left, ...moved } = await moveAll(
    users.filter(({ id }) => !several.includes(id)).map((user) => toOldUser(user, options)),
    (old) =>
      moveAccount(accounts, old, async (id) => {
        const user = byId.get(id)
        const enrolled = user ? await moveApp(totp, user) : null
        const links = (user?.methods ?? []).flatMap(({ provider, subject }) => {
          return provider === null ? [] : [{ provider, subject: subject ?? '' }]
        })
        if (enrolled) await moveLinks(id, links)
        return enrolled
      }),
  )
  return { ...moved, left: [...left, ...several.map((id) => ({ id, why: 'several-passwords' as const }))], unlinked }
}

function toOldUser(user: SuperTokensUser, { rolesOf, unproven, firebaseSignerKey }: SuperTokensMove): OldUser {
  const [password] = passwordsOf(user)
  const main = password ?? user.methods.find(({ email, verified }) => email && verified) ?? user.methods[0]
  const email = main?.email ?? ''
  // A user of `passwordless` exists after a code from a mail was entered.
  const isProven = user.methods.some((method) => {
    return method.email === email && (method.verified || method.recipe === 'passwordless')
  })
  return {
    id: user.id,
    email,
    name: email,
    roles: rolesOf(user),
    status: isProven ? 'active' : unproven,
    passwordHash: password ? writeHash(password.passwordHash ?? '', firebaseSignerKey) : null,
  }
}

/** Returns the methods with a password: several, if users with different addresses are linked. */
function passwordsOf({ methods }: SuperTokensUser): readonly SuperTokensMethod[] {
  return methods.filter(({ passwordHash }) => passwordHash !== null)
}

/**
 * Returns a hash in the notation of `@latchkey/password`. bcrypt and Argon2 are not changed. A hash of Firebase has the
 * form `$f_scrypt$hash$salt$m=14$r=8$s=separator`.
 */
function writeHash(hash: string, signerKey: string | undefined): string {
  const [, name, value, salt, ...parameters] = hash.split('$')
  if (name !== 'f_scrypt' || signerKey === undefined) return hash
  const { m, r, s } = Object.fromEntries(parameters.map((text) => [text[0], text.slice(2)]))
  return `$fbscrypt$v=1,n=${m},r=${r},p=1,ss=${s},sk=${signerKey}$${salt}$${value}`
}

/**
 * Imports the authenticator app of a user, and returns the kinds of the second factors. `null`: the second factor cannot
 * be moved. It is a code by mail or SMS only, a second app, or an app with another period than 30
 * seconds.
 */
async function moveApp(totp: Totp, { id, apps, requiredFactors }: SuperTokensUser): Promise<readonly string[] | null> {
  const [app, ...otherApps] = apps
  if (!app) return requiredFactors?.length ? null : []
  const secret = decodeBase32(app.secret)
  if (otherApps.length > 0 || app.period !== 30 || !secret || secret.length < 16 || secret.length > 64) return null
  await totp.importSecret(id, secret)
  return ['totp']
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Returns the bytes of a text in base32 (RFC 4648 §6), or `null` for another text. */
function decodeBase32(text: string): Uint8Array | null {
  const digits = [...text.replace(/=+$/, '')].map((letter) => alphabet.indexOf(letter))
  if (digits.includes(-1)) return null
  const bits = digits.map((digit) => digit.toString(2).padStart(5, '0')).join('')
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}
