import { encodeBase64url, sha256 } from '@latchkey/bytes'
import type { CollectionItem } from '@latchkey/store/internal'
import { parseApiKey } from '../../api-keys/api-key-format.ts'
import type { StoredApiKey } from '../../api-keys/stored-api-keys.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { ApiKeys } from '../../context/read-api-keys.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { judgeAttempt } from '../../devices/judge-attempt.ts'
import { AccountsError, required } from '../../errors.ts'
import { toFacts } from '../../sign-in/identity-facts.ts'
import { findGenuine } from './find-api-key.ts'

type Input = Parameters<Accounts['identifyApiKey']>[0]
type Item = CollectionItem<StoredApiKey>

const minuteMs = 60_000
const badKeysPerAddress = 30

export async function identifyApiKey(
  context: AccountsContext,
  { key, isUse = true, attempt: shown }: Input,
): ReturnType<Accounts['identifyApiKey']> {
  const apiKeys = required(context.apiKeys, 'apiKeys')
  const attempt = judgeAttempt(context, shown, null)
  const counting = { context, apiKeys, attempt, isUse }
  const parsed = parseApiKey(apiKeys.prefix, key)
  if (!parsed) return refuse(counting, 'malformed')
  const found = await findGenuine(apiKeys, parsed)
  if (!found || found.owner === null) return refuse(counting, 'unknown')
  const { owner, value } = found
  if (value.expiresAt <= context.now()) return refuse(counting, 'expired', found)
  await countRequest(counting, found)
  const account = await context.accounts.get(owner)
  if (account?.status !== 'active') return refuse(counting, 'account', found)
  if (isUse) noteUse(counting, found)
  const { id } = found
  const opened = { key: id, lineage: id, factors: [], clientId: id, scopes: value.scopes }
  const facts = toFacts(context, account, opened, 'bearer')
  return { facts: { ...facts, apiKey: id }, expiresAt: value.expiresAt }
}

interface Counting {
  readonly context: AccountsContext
  readonly apiKeys: ApiKeys
  readonly attempt: ReturnType<typeof judgeAttempt>
  readonly isUse: boolean
}

type Refused = Extract<Parameters<AccountsContext['emit']>[0], { readonly type: 'api-key.refused' }>['reason']

/**
 * Counts a key that is not accepted for the address, and never for a key. A good key is not refused for the bad keys of its
 * address: strangers behind the same address cannot lock its owner out.
 */
async function refuse(
  { context, apiKeys, attempt, isUse }: Counting,
  reason: Refused,
  found: Item | null = null,
): Promise<null> {
  if (!isUse) return null
  const { count, resetAt } = await apiKeys.counters.hit(addressCounter(attempt.address), minuteMs)
  if (count > badKeysPerAddress) {
    context.emit({ type: 'api-key.limited', ...attempt, accountId: null, apiKeyId: null, limit: 'address' })
    throw limited(context, { name: 'api-key-address', limit: badKeysPerAddress }, resetAt)
  }
  const said = { accountId: found?.owner ?? null, apiKeyId: found?.id ?? null, reason }
  context.emit({ type: 'api-key.refused', ...attempt, ...said })
  return null
}

async function countRequest({ context, apiKeys, attempt, isUse }: Counting, { id, owner }: Item): Promise<void> {
  if (!isUse) return
  const { requestsPerMinute: limit } = apiKeys
  const { count, resetAt } = await apiKeys.counters.hit(`api-key:${id}`, minuteMs)
  if (count <= limit) return
  context.emit({ type: 'api-key.limited', ...attempt, accountId: owner, apiKeyId: id, limit: 'key' })
  throw limited(context, { name: 'api-key', limit }, resetAt)
}

function addressCounter(address: string | null): string {
  return `api-key-address:${encodeBase64url(sha256(address ?? 'unknown'))}`
}

function limited(
  { now }: AccountsContext,
  { name, limit }: { readonly name: string; readonly limit: number },
  resetAt: number,
): AccountsError {
  return new AccountsError('ATTEMPTS_RATE_LIMITED', 'too many requests with API keys', {
    policy: { name, limit, windowSeconds: minuteMs / 1000 },
    retryAfterSeconds: Math.max(1, Math.ceil((resetAt - now()) / 1000)),
  })
}

/** Written at most once a minute. A revocation at the same time wins: a removed document is not written. */
function noteUse({ context, apiKeys, attempt }: Counting, found: Item): void {
  const { value, owner } = found
  const lastUsedAt = context.now()
  if (value.lastUsedAt !== null && lastUsedAt - value.lastUsedAt < minuteMs) return
  void context.background.run(
    async () => void (await apiKeys.stored.replace(found, { ...value, lastUsedAt })),
    (failed) => context.emit({ type: 'clean-up.failed', ...attempt, accountId: owner ?? '', ...failed }),
  )
}
