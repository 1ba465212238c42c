import { encodeBase64url } from '@latchkey/bytes'
import type { CollectionItem } from '@latchkey/store/internal'
import { drawApiKey, hashOfSecret, startOf } from '../../api-keys/api-key-format.ts'
import type { StoredApiKey } from '../../api-keys/stored-api-keys.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import { type ApiKeys, keyDaysByDefault } from '../../context/read-api-keys.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { judgeAttempt } from '../../devices/judge-attempt.ts'
import { AccountsError, invalidCredentials, required } from '../../errors.ts'
import type { StoredAccount } from '../../store/account-store.ts'
import { canonicalName } from '../../store/canonical-name.ts'
import { livingKeys, toApiKey } from './list-api-keys.ts'

const dayMs = 86_400_000
const nameCharacters = 64
const mostKeys = 25

type CreateInput = Parameters<Accounts['createApiKey']>[0]

/**
 * The account is read once more when the key is stored: a change that revokes keys raises the epoch before it
 * removes them, so one of the two removes a key that is created meanwhile.
 */
export async function createApiKey(
  context: AccountsContext,
  { identity, attempt: shown, ...asked }: CreateInput,
): ReturnType<Accounts['createApiKey']> {
  const apiKeys = required(context.apiKeys, 'apiKeys')
  const account = await context.accounts.get(identity.subject)
  if (!account || !isAsRead(account, identity)) return invalidCredentials
  const value = await checkAsked(apiKeys, account, asked)
  await checkCount(context, apiKeys, { accountId: account.id, others: mostKeys - 1 })
  const attempt = judgeAttempt(context, shown, account)
  const { id, text, secret } = drawApiKey(apiKeys.prefix)
  const accountId = account.id
  const said = { type: 'api-key.created', ...attempt, accountId, apiKeyId: id, scopes: value.scopes } as const
  const creating = context.trail.plan(said)
  await creating.begin()
  const createdAt = context.now()
  const stored = await apiKeys.stored.insert(id, accountId, {
    secretHash: encodeBase64url(hashOfSecret({ secret })),
    name: value.name,
    start: startOf(apiKeys.prefix, { id }),
    scopes: value.scopes,
    createdAt,
    expiresAt: createdAt + value.expiresInDays * dayMs,
    lastUsedAt: null,
  })
  const isKept =
    stored !== null && (await isStillAllowed(context, apiKeys, { account, stored, failed: creating.failed }))
  if (!isKept) {
    await creating.failed()
    return invalidCredentials
  }
  await creating.done(said)
  const { account: accountUrl, requestPasswordReset: resetUrl } = context.mailLinks
  const mail = { kind: 'api-key-created', data: { at: createdAt, accountUrl, resetUrl } } as const
  context.mails.send({ mail, accountId, attempt, to: account.email })
  return { ok: true, apiKey: toApiKey(stored), key: text }
}

function isAsRead(account: StoredAccount, { epoch = null }: CreateInput['identity']): boolean {
  return account.status === 'active' && (epoch === null || epoch === account.epoch)
}

type Asked = Pick<CreateInput, 'name' | 'scopes' | 'expiresInDays'>

async function checkAsked(apiKeys: ApiKeys, account: StoredAccount, asked: Asked): Promise<Required<Asked>> {
  const name = canonicalName(asked.name)
  if (name === null || [...name].length > nameCharacters) {
    throw refused('name', `the name of a key must have 1 to ${nameCharacters} characters`)
  }
  const { expiresInDays = keyDaysByDefault(apiKeys.maxDays) } = asked
  if (!Number.isInteger(expiresInDays) || expiresInDays < 1 || expiresInDays > apiKeys.maxDays) {
    throw refused('expiresInDays', `a key must expire in 1 to ${apiKeys.maxDays} days`)
  }
  const scopes = [...new Set(asked.scopes)]
  if (scopes.length === 0 || !(await mayGrantAll(apiKeys, account, scopes))) {
    throw refused('scopes', 'a key must have at least one scope, and only scopes that its owner may grant')
  }
  return { name, scopes, expiresInDays }
}

/** Stops at the first scope that is not granted, so a long list costs no more calls. */
async function mayGrantAll({ mayGrant }: ApiKeys, account: StoredAccount, scopes: readonly string[]): Promise<boolean> {
  for (const scope of scopes) {
    if ((await mayGrant(account, scope)) !== true) return false
  }
  return true
}

/** @throws AccountsError API_KEY_REJECTED if the account has more living keys than `others`. Expired ones are removed. */
async function checkCount(
  context: AccountsContext,
  { stored }: ApiKeys,
  { accountId, others }: { readonly accountId: string; readonly others: number },
): Promise<void> {
  const all = await stored.listReadable(accountId)
  const living = livingKeys(all, context.now())
  const expired = all.filter((item) => !living.includes(item))
  await Promise.all(expired.map((item) => stored.removeVersion(item)))
  if (living.length > others) throw refused('name', `an account can have ${mostKeys} keys: revoke one first`)
}

interface Stored {
  /** As it was when the key was asked for. */
  readonly account: StoredAccount
  readonly stored: CollectionItem<StoredApiKey>
  /** Called when a key that cannot be judged is removed. */
  readonly failed: () => Promise<void>
}

/** Removes the key again if the account has changed, or others were stored at the same time. */
async function isStillAllowed(
  context: AccountsContext,
  apiKeys: ApiKeys,
  { account, stored, failed }: Stored,
): Promise<boolean> {
  try {
    const latest = await context.accounts.get(account.id)
    await checkCount(context, apiKeys, { accountId: account.id, others: mostKeys })
    if (latest?.epoch === account.epoch && latest.status === 'active') return true
  } catch (error) {
    await apiKeys.stored.remove(stored.id)
    await failed()
    throw error
  }
  await apiKeys.stored.remove(stored.id)
  return false
}

function refused(field: keyof Asked, message: string): AccountsError {
  return new AccountsError('API_KEY_REJECTED', message, { field })
}
