import type { AccountsContext } from '../../context/accounts-context.ts'
import { type LinkedProvider, toLinked } from '../../providers/linked-provider.ts'

/** Returns what an account is linked to, the oldest first. */
export async function linkedProviders(
  { links }: Pick<AccountsContext, 'links'>,
  subject: string,
): Promise<readonly LinkedProvider[]> {
  const found = (await links?.listByAccount(subject)) ?? []
  return found.map(toLinked).sort((left, right) => left.createdAt - right.createdAt)
}
