import { retrySwap } from '../refresh/change-family.ts'
import { withoutKinds } from '../stored-factors.ts'
import { readSessionValue, sessionShape } from './session.ts'
import type { Sessions } from './sessions.ts'
import type { SessionsContext } from './sessions-context.ts'

export function renewSession(
  { records, writes, now, emit }: SessionsContext,
  { subject, key }: { readonly subject: string; readonly key: string },
  { epoch, without = [] }: Parameters<Sessions['renew']>[2],
): Promise<boolean> {
  return retrySwap(async () => {
    const record = await records.get(key)
    const value = record?.owner === subject ? readSessionValue(record, now()) : null
    // What stands for another account is not renewed: it would outlive the change that is to end it.
    if (!record || !value || value.impersonation !== undefined || value.epoch > epoch) return false
    const factors = withoutKinds(value.factors, without)
    if (value.epoch === epoch && factors.length === value.factors.length) return true
    const next = { value: sessionShape.format({ ...value, epoch, factors }, writes()), expiresAt: record.expiresAt }
    if (!(await records.replace(record, next))) return null
    emit({ type: 'session.renewed', sessionKey: key, accountId: subject, epoch })
    return true
  })
}
