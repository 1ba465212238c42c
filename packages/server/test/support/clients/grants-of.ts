import type { ServerStores } from '@latchkey/server'

/** What the store has of the grants of an account. */
export async function grantsOf(
  { stores: { documents } }: { readonly stores: Pick<ServerStores, 'documents'> },
  accountId: string,
): Promise<readonly { readonly grantId: string; readonly clientId: string }[]> {
  const { items } = await documents.listByOwner(accountId, { collections: ['oauth-grant'] })
  return items.map(({ value }) => JSON.parse(value))
}
