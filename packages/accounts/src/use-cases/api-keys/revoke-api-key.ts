import { isApiKeyId, parseApiKey } from '../../api-keys/api-key-format.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { judgeUnread } from '../../devices/judge-attempt.ts'
import { required } from '../../errors.ts'
import { findGenuine } from './find-api-key.ts'

/** Removes the document of a key: a use at the same time cannot write it again. */
export async function revokeApiKey(
  context: AccountsContext,
  { subject, id, attempt: shown }: Parameters<Accounts['revokeApiKey']>[0],
): Promise<boolean> {
  const { stored } = required(context.apiKeys, 'apiKeys')
  if (!isApiKeyId(id) || (await stored.ownerOf(id)) !== subject) return false
  const attempt = await judgeUnread(context, shown, () => context.accounts.get(subject))
  const said = { type: 'api-key.revoked', ...attempt, accountId: subject, apiKeyId: id } as const
  const revoking = context.trail.plan(said)
  await revoking.begin()
  const isRevoked = await stored.remove(id)
  await (isRevoked ? revoking.done(said) : revoking.failed())
  return isRevoked
}

export async function revokeLeakedApiKey(
  context: AccountsContext,
  { key, attempt }: Parameters<Accounts['revokeLeakedApiKey']>[0],
): Promise<boolean> {
  const apiKeys = required(context.apiKeys, 'apiKeys')
  const shown = parseApiKey(apiKeys.prefix, key)
  const found = shown && (await findGenuine(apiKeys, shown))
  if (!found || found.owner === null) return false
  return revokeApiKey(context, { subject: found.owner, id: found.id, attempt })
}
