import type { EnrolledFactor, EnrolledPasskey } from '@latchkey/store'
import type { AccountsContext } from '../../context/accounts-context.ts'
import { categorise } from '../../sign-in/factor-category.ts'
import type { ListedFactor } from './factor-inputs.ts'

export async function listFactors(
  { totp, passkeys, recoveryCodes }: AccountsContext,
  subject: string,
): Promise<readonly ListedFactor[]> {
  const [app, keys, codes] = await Promise.all([
    totp?.find(subject),
    passkeys?.list(subject),
    recoveryCodes?.find(subject),
  ])
  return [
    ...(app ? [toListed(app, app.isDisabled)] : []),
    ...toPasskeys(keys ?? []),
    ...(codes ? [toListed(codes)] : []),
  ]
}

export async function listPasskeys(
  { passkeys }: AccountsContext,
  subject: string,
): Promise<readonly EnrolledPasskey[]> {
  return (await passkeys?.list(subject)) ?? []
}

function toListed({ kind, createdAt, lastUsedAt }: EnrolledFactor, isDisabled = false): ListedFactor {
  return { kind, category: categorise({ kind, at: 0 }).category, createdAt, lastUsedAt, isDisabled }
}

/** All passkeys are one factor, with the creation time of the oldest passkey and the latest use of any. */
function toPasskeys(keys: readonly EnrolledPasskey[]): readonly ListedFactor[] {
  const [first] = keys
  if (!first) return []
  const used = keys.flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
  const createdAt = Math.min(...keys.map((key) => key.createdAt))
  const lastUsedAt = used.length === 0 ? null : Math.max(...used)
  return [{ kind: 'passkey', category: first.category, createdAt, lastUsedAt, isDisabled: false }]
}
