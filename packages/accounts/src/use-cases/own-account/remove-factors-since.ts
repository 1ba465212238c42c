import type { AccountsContext } from '../../context/accounts-context.ts'

/**
 * Removes the factors of an account that count since that moment or later, and returns their kinds. Recovery codes stand in
 * for factors: they go with the last one.
 */
export async function removeFactorsSince(
  { totp, passkeys, recoveryCodes }: Pick<AccountsContext, 'totp' | 'passkeys' | 'recoveryCodes'>,
  accountId: string,
  since: number,
): Promise<readonly string[]> {
  const [app, keys = [], codes] = await Promise.all([
    totp?.find(accountId),
    passkeys?.list(accountId),
    recoveryCodes?.find(accountId),
  ])
  const isNew = ({ createdAt }: { readonly createdAt: number }): boolean => createdAt >= since
  const removed: string[] = []
  if (app && isNew(app) && (await totp?.remove(accountId))) removed.push('totp')
  for (const { id } of keys.filter(isNew)) if (await passkeys?.remove(accountId, id)) removed.push('passkey')
  const isAnyLeft = (app && !isNew(app)) || keys.some((key) => !isNew(key))
  if (codes && (isNew(codes) || !isAnyLeft) && (await recoveryCodes?.remove(accountId))) removed.push('recovery-code')
  return [...new Set(removed)]
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
