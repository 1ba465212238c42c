import type { DatabaseSync } from 'node:sqlite'
import type { AccountStore } from '@latchkey/accounts'
import type { Totp } from '@latchkey/totp'
import { type SecretConfig, symmetricDecrypt } from 'better-auth/crypto'
import { moveAccount, moveAll, type OldUser } from './move-account.ts'
import { createLinkMover, type LinkOptions, type MovedWithLinks, type OldLink } from './provider-links.ts'

export interface BetterAuthMove extends LinkOptions {
  /** The database of better-auth, which is only read. */
  readonly database: DatabaseSync
  readonly accounts: AccountStore
  readonly totp: Totp
  /** `BETTER_AUTH_SECRET`: the secrets of authenticator apps are encrypted with it. */
  readonly secret: string | SecretConfig
  /**
   * The status of users whose address was not verified. `unverified`: they prove the address first and choose a new
   * password, because the old account may belong to another person than the mailbox. `active`: they sign in as before.
   */
  readonly unproven: 'active' | 'unverified'
}

/** Moves the users of better-auth, with their passwords, their authenticator apps and their links to providers. */
export async function moveFromBetterAuth(options: BetterAuthMove): Promise<MovedWithLinks> {
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
  const { moveLinks, unlinked } = createLinkMover(options)
  const moved = await moveAll(users, (user) =>
    moveAccount(accounts, user, async (id) => {
      const enrolled = withFactor.has(id) ? await moveApp(options, id) : []
      if (enrolled) await moveLinks(id, readLinks(database, id))
      return enrolled
    }),
  )
  return { ...moved, unlinked }
}

/** Returns `null` for a user whose second factor is a code by mail or SMS: these are no factors of the service. */
async function moveApp({ database, totp, secret }: BetterAuthMove, id: string): Promise<readonly string[] | null> {
  const row = database.prepare('select * from twoFactor where userId = ?').get(id)
  // Older releases have no such column and store confirmed apps only.
  if (!row || row.verified === 0) return null
  const text = await symmetricDecrypt({ key: secret, data: String(row.secret) })
  // The apps compute codes with the bytes of this text.
  await totp.importSecret(id, new TextEncoder().encode(text))
  return ['totp']
}

/** `accountId` is the `sub` of the provider. Some providers make a `sub` for each client: keep the old client. */
function readLinks(database: DatabaseSync, userId: string): readonly OldLink[] {
  const sql = "select * from account where userId = ? and providerId <> 'credential'"
  return database
    .prepare(sql)
    .all(userId)
    .map(({ providerId, accountId, createdAt }) => ({
      provider: String(providerId),
      subject: String(accountId),
      createdAt: Date.parse(String(createdAt)),
    }))
}
