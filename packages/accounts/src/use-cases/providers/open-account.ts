import type { JudgedAttempt } from '../../attempt.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { ProviderIdentity } from '../../contract/provider-identity.ts'
import { AccountsError } from '../../errors.ts'
import { linkIdOf, type NewProviderLink, type ProviderLink } from '../../providers/provider-links.ts'
import type { Providers } from '../../providers/provider-options.ts'
import { type AccountStore, drawAccountId } from '../../store/account-store.ts'
import { canonicalEmail } from '../../store/canonical-email.ts'
import { canonicalName } from '../../store/canonical-name.ts'
import { cleanUp } from '../account-changes.ts'

/** No sign-in is under way for longer: a link of before whose account does not exist is left of one that is gone. */
const openingMs = 60_000

/**
 * Creates an account for a user of a provider without a linked account. The link is stored first, so that one of
 * several callers creates the account; it is removed if another account has the address. `null`: sign-up is closed.
 */
export async function openAccount(
  context: AccountsContext,
  providers: Providers,
  { identity, attempt }: { readonly identity: ProviderIdentity; readonly attempt: JudgedAttempt },
): Promise<ProviderLink | RefusedOpening | null> {
  const { signUpRole, accounts, reservations, trail, now } = context
  if (signUpRole === null) return null
  const account = newAccount(identity, signUpRole)
  if (!account) return 'email-unverified'
  const { issuer, subject } = identity
  // Another caller may have opened it since.
  if (await accounts.getByEmail(account.email)) return (await providers.links.get(issuer, subject)) ?? 'email-held'
  const { id: accountId, roles } = account
  const link = { issuer, subject, accountId, createdAt: now() }
  const said = { ...attempt, accountId }
  const created = { type: 'account.created', ...said, roles, actorId: accountId } as const
  const linked = { type: 'provider.linked', ...said, issuer } as const
  const [creating, linking] = [trail.plan(created), trail.plan(linked)]
  await creating.begin()
  await linking.begin()
  await reservations?.release(now())
  const added = await providers.links.insert(link)
  const inserting = added ? accounts.insert(account) : Promise.resolve(false)
  const isOpen = await inserting.catch(async (error: unknown) => {
    await cleanUp(context, { accountId, attempt }, [dropUnopened(context, providers, link)])
    throw error
  })
  if (!isOpen) {
    if (added) await providers.links.remove(added)
    await creating.failed()
    await linking.failed()
    return added ? 'email-held' : providers.links.get(issuer, subject)
  }
  await creating.done(created)
  await linking.done(linked)
  return added
}

/** After an error of the store it is unknown whether the account was added: if it was, the link stays. */
async function dropUnopened({ accounts }: AccountsContext, { links }: Providers, link: NewProviderLink): Promise<void> {
  if (!(await accounts.get(link.accountId))) await links.remove({ ...link, id: linkIdOf(link) })
}

/**
 * Removes the link of an account that no longer exists; `null`: it is removed. A link whose account is still being
 * created is kept.
 */
export async function dropIdleLink(
  { accounts, now }: AccountsContext,
  { links }: Providers,
  link: ProviderLink,
): Promise<ProviderLink | null> {
  if (now() - link.createdAt < openingMs || (await accounts.get(link.accountId))) return link
  await links.remove(link)
  return null
}

/** `null`: the provider has verified no address. */
function newAccount(identity: ProviderIdentity, role: string): Parameters<AccountStore['insert']>[0] | null {
  const email = identity.email !== null && identity.emailVerified === true ? canonicalEmail(identity.email) : null
  if (email === null) return null
  const name = nameOf(identity, email)
  return { id: drawAccountId(), email, name, roles: [role], status: 'active', passwordHash: null, epoch: 0 }
}

/**
 * Returns the user's name at the provider, or the part of the address before the @. If that is not a valid name, the
 * whole address.
 */
function nameOf({ claims = {} }: ProviderIdentity, email: string): string {
  for (const claim of [claims.name, claims.preferred_username, claims.nickname]) {
    const name = typeof claim === 'string' ? canonicalName(claim) : null
    if (name !== null) return name
  }
  return canonicalName(email.slice(0, email.lastIndexOf('@'))) ?? email
}

const refusals = {
  'email-unverified': ['EMAIL_UNVERIFIED', 'the provider has not verified an email address of the user'],
  'email-held': ['EMAIL_IN_USE', 'an account with this address exists: its owner can sign in and link the provider'],
} as const

/** The reasons to open no account for a user. The user may know them, because they are about the user's own address. */
export type RefusedOpening = keyof typeof refusals

export function openingError(refused: RefusedOpening): AccountsError {
  const [code, text] = refusals[refused]
  return new AccountsError(code, text, { field: 'email' })
}
