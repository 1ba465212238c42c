import type { DatabaseSync } from 'node:sqlite'
import { type AccountStore, type Accounts, isAccountsError, unknownAttempt } from '@latchkey/accounts'
import type { Totp } from '@latchkey/totp'
import { type SecretConfig, symmetricDecrypt } from 'better-auth/crypto'
import { type MovedUsers, moveAccount, moveAll, type OldUser } from './move-account.ts'

export interface BetterAuthMove {
  /** The database of better-auth, which is only read. */
  readonly database: DatabaseSync
  readonly accounts: AccountStore
  readonly totp: Totp
  /** What links users of providers. */
  readonly links: Pick<Accounts, 'importProviderLink'>
  /**
   * Which issuer a `providerId` stands for, such as `{ google: 'https://accounts.google.com' }`. Users of others are linked to nothing.
   * @default {}
   */
  readonly issuers?: Readonly<Record<string, string>>
  /** `BETTER_AUTH_SECRET`: the secrets of authenticator apps are encrypted with it. */
  readonly secret: string | SecretConfig
  /**
   * What becomes of users whose address was not verified. `unverified`: they prove it first and choose a new password, because who
   * has opened the account may not be who reads the mail. `active`: they go on, as they did without verification.
   */
  readonly unproven: 'active' | 'unverified'
}

/** Moves the users of better-auth, with their passwords, their authenticator apps and their links to providers. */
export function moveFromBetterAuth(options: BetterAuthMove): Promise<MovedUsers> {
  const { database, accounts } = options
  const rows = database.prepare('select * from user order by createdAt, id').all()
  const hashOf = database.prepare("select password from account where userId = ? and providerId = 'credential'")
  const users = rows.map((row): OldUser => {
    const hash = hashOf.get(String(row.id))?.password ?? null
    return {
      id: String(row.id),
      email: String(row.email),
      name: String(row.name),
      // `role` and `banned` are of its admin plugin.
      roles: [row.role === 'admin' ? 'ADMIN' : 'MEMBER'],
      status: row.banned ? 'disabled' : row.emailVerified ? 'active' : options.unproven,
      passwordHash: hash === null ? null : String(hash),
    }
  })
  const withFactor = new Set(rows.filter((row) => row.twoFactorEnabled).map((row) => String(row.id)))
  return moveAll(users, (user) =>
    moveAccount(accounts, user, async (id) => {
      const enrolled = withFactor.has(id) ? await moveApp(options, id) : []
      if (enrolled) await moveLinks(options, id)
      return enrolled
    }),
  )
}

/** Its codes by mail or SMS are no factor here: who has only these is left, rather than moved without a second factor. */
async function moveApp({ database, totp, secret }: BetterAuthMove, id: string): Promise<readonly string[] | null> {
  const row = database.prepare('select * from twoFactor where userId = ?').get(id)
  // Releases that had no such column kept confirmed ones only.
  if (!row || row.verified === 0) return null
  const text = await symmetricDecrypt({ key: secret, data: String(row.secret) })
  // Its apps compute with the text itself. `false`: an interrupted move has put it there before.
  await totp.importSecret(id, new TextEncoder().encode(text))
  return ['totp']
}

/** Its `accountId` is the `sub` of the provider, which some of them make for each client: register the service as the same one. */
async function moveLinks({ database, links, issuers = {} }: BetterAuthMove, accountId: string): Promise<void> {
  const rows = database.prepare('select providerId, accountId, createdAt from account where userId = ?').all(accountId)
  for (const { providerId, accountId: subject, createdAt } of rows) {
    const issuer = issuers[String(providerId)]
    if (issuer === undefined) continue
    const link = { issuer, subject: String(subject), accountId, createdAt: Date.parse(String(createdAt)) }
    try {
      await links.importProviderLink({ ...link, attempt: unknownAttempt })
    } catch (error) {
      // It is the link of another account: its owner keeps it.
      if (!isAccountsError(error) || error.code !== 'PROVIDER_IN_USE') throw error
    }
  }
}
