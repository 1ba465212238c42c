import { isInvalidData, listPages } from '@latchkey/store/internal'
import type { AccountsContext } from '../../context/accounts-context.ts'
import { passkeyCollection } from '../factors/last-way-in.ts'

type Parts = Pick<AccountsContext, 'totp' | 'passkeys' | 'recoveryCodes' | 'documents'>

/**
 * Removes the factors of an account that were added at that moment or later, and returns their kinds. Recovery codes
 * are removed with the last factor. Unreadable factors are removed as well, since they may be of that time.
 */
export async function removeFactorsSince(
  { totp, passkeys, recoveryCodes, documents }: Parts,
  accountId: string,
  since: number,
): Promise<readonly string[]> {
  const invalid = { createdAt: since }
  const orInvalid = (error: unknown): typeof invalid => {
    if (isInvalidData(error)) return invalid
    throw error
  }
  const [app, listed = [], codes] = await Promise.all([
    totp?.find(accountId).catch(orInvalid),
    passkeys?.list(accountId),
    recoveryCodes?.find(accountId).catch(orInvalid),
  ])
  const stored = passkeys ? await listStoredPasskeys({ documents }, accountId) : []
  const isListed = (id: string): boolean => listed.some((key) => key.id === id)
  const keys = [...listed, ...stored.filter(({ id }) => !isListed(id)).map(({ id }) => ({ id, ...invalid }))]
  const isNew = ({ createdAt }: { readonly createdAt: number }): boolean => createdAt >= since
  const removed: string[] = []
  if (app && isNew(app) && (await totp?.remove(accountId))) removed.push('totp')
  for (const { id } of keys.filter(isNew)) if (await passkeys?.remove(accountId, id)) removed.push('passkey')
  const isAnyLeft = (app && !isNew(app)) || keys.some((key) => !isNew(key))
  if (codes && (isNew(codes) || !isAnyLeft) && (await recoveryCodes?.remove(accountId))) removed.push('recovery-code')
  return [...new Set(removed)]
}

/** An app whose code is accepted at this moment finds its enrolment gone, and does not count in place of an older app. */
export async function endEnrolments({ documents }: Pick<Parts, 'documents'>, accountId: string): Promise<void> {
  await documents?.removeByOwner(accountId, { collections: ['factor-totp-enrollment'] })
}

async function listStoredPasskeys({ documents }: Pick<Parts, 'documents'>, accountId: string) {
  const collections = [passkeyCollection]
  return documents ? listPages((page) => documents.listByOwner(accountId, { ...page, collections })) : []
}

/**
 * Removes the links to providers that were made since that moment or later, and returns that kind if there were any: an account is
 * signed in to by each. A link that cannot be read goes, too: it may be of that time.
 */
export async function removeLinksSince(
  { links }: Pick<AccountsContext, 'links'>,
  accountId: string,
  since: number,
): Promise<readonly 'provider'[]> {
  const removed = new Set<'provider'>()
  for (const link of (await links?.listStored(accountId)) ?? [])
    if ((link.createdAt ?? since) >= since && (await links?.remove(link))) removed.add('provider')
  return [...removed]
}
