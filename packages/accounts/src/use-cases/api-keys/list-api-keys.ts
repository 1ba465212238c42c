import type { CollectionItem } from '@latchkey/store/internal'
import type { StoredApiKey } from '../../api-keys/stored-api-keys.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'

type ApiKey = Awaited<ReturnType<Accounts['listApiKeys']>>[number]
type Item = CollectionItem<StoredApiKey>

export async function listApiKeys(
  { apiKeys, now }: AccountsContext,
  subject: string,
): Promise<Awaited<ReturnType<Accounts['listApiKeys']>>> {
  const stored = (await apiKeys?.stored.listReadable(subject)) ?? []
  return livingKeys(stored, now())
    .map(toApiKey)
    .sort((one, other) => other.createdAt - one.createdAt || (one.id < other.id ? -1 : 1))
}

export function livingKeys(items: readonly Item[], now: number): readonly Item[] {
  return items.filter(({ value }) => value.expiresAt > now)
}

export function toApiKey({ id, value }: Item): ApiKey {
  const { name, start, scopes, createdAt, expiresAt, lastUsedAt } = value
  return { id, name, start, scopes, createdAt, expiresAt, lastUsedAt }
}
