import type { VerifiedClaims } from '@latchkey/jwt'
import type { Session } from '@latchkey/sessions'
import type { FactorProof } from '@latchkey/store'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { StoredAccount } from '../store/account-store.ts'
import { findValid, isValidFor } from './kept-key.ts'

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

export function toFacts(
  account: StoredAccount,
  { key, factors }: Pick<IdentityFacts, 'key' | 'factors'>,
  via: IdentityFacts['via'],
): IdentityFacts {
  return { subject: account.id, roles: [...account.roles], factors, key, via, epoch: account.epoch }
}

export async function identifySession(
  context: AccountsContext,
  session: Session | null,
): Promise<IdentityFacts | null> {
  const account = session && (await findValid(context, session))
  return account && toFacts(account, session, 'cookie')
}

/**
 * A token is valid while its family is. One of an earlier epoch belongs to a family that every raise since has kept: the
 * others have ended.
 */
export async function identifyToken(
  context: AccountsContext,
  claims: VerifiedClaims | null,
): Promise<IdentityFacts | null> {
  if (claims?.sid === undefined || claims.epoch === undefined) return null
  const { sub: subject, sid, epoch } = claims
  const [read, family] = await Promise.all([context.accounts.get(subject), context.refreshTokens.read(sid)])
  if (!read || family?.subject !== subject) return null
  // Both are read at once: where they do not agree, a raise that keeps the family may have come between.
  const account = isValidFor(read, family) ? read : await findValid(context, family)
  return account && epoch <= account.epoch ? toFacts(account, family, 'bearer') : null
}
