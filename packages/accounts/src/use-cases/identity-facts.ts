import type { VerifiedClaims } from '@latchkey/jwt'
import type { Session } from '@latchkey/sessions'
import type { FactorProof } from '@latchkey/store'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { StoredAccount } from '../store/account-store.ts'

/** What a policy needs to make an identity. */
export interface IdentityFacts {
  /** The account's id. */
  readonly subject: string
  /** As the account has them now. */
  readonly roles: readonly string[]
  /** What was proven at sign-in, and when. */
  readonly factors: readonly FactorProof[]
  /** The public key of the session or refresh family. */
  readonly key: string
  readonly via: 'cookie' | 'bearer'
  readonly epoch: number
}

interface Opened {
  readonly key: string
  readonly subject: string
  readonly epoch: number
  readonly factors: readonly FactorProof[]
}

export function toFacts(
  account: StoredAccount,
  { key, factors }: Pick<Opened, 'key' | 'factors'>,
  via: IdentityFacts['via'],
): IdentityFacts {
  return { subject: account.id, roles: [...account.roles], factors, key, via, epoch: account.epoch }
}

/** Returns the account of a session or family while it is active and of the same epoch, otherwise `null`. */
export async function findCurrent(
  { accounts }: AccountsContext,
  { subject, epoch }: Pick<Opened, 'subject' | 'epoch'>,
): Promise<StoredAccount | null> {
  const account = await accounts.get(subject)
  return account?.status === 'active' && account.epoch === epoch ? account : null
}

export async function identifySession(
  context: AccountsContext,
  session: Session | null,
): Promise<IdentityFacts | null> {
  const account = session && (await findCurrent(context, session))
  return account && toFacts(account, session, 'cookie')
}

/** A token is valid while its family exists and account, family and token have the same epoch. */
export async function identifyToken(
  context: AccountsContext,
  claims: VerifiedClaims | null,
): Promise<IdentityFacts | null> {
  if (claims?.sid === undefined || claims.epoch === undefined) return null
  const { sub: subject, sid, epoch } = claims
  const [account, family] = await Promise.all([
    findCurrent(context, { subject, epoch }),
    context.refreshTokens.read(sid),
  ])
  return account && family?.subject === subject && family.epoch === epoch ? toFacts(account, family, 'bearer') : null
}
