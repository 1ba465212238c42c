import { retrySwap } from '../refresh/change-family.ts'
import { readSessionValue, sessionShape } from './session.ts'
import type { SessionsContext } from './sessions-context.ts'

export function renewSession(
  { records, writes, now, emit }: SessionsContext,
  { subject, key }: { readonly subject: string; readonly key: string },
  epoch: number,
): Promise<boolean> {
  return retrySwap(async () => {
    const record = await records.get(key)
    const value = record?.owner === subject ? readSessionValue(record, now()) : null
    if (!record || !value || value.epoch > epoch) return false
    if (value.epoch === epoch) return true
    const next = { value: sessionShape.format({ ...value, epoch }, writes()), expiresAt: record.expiresAt }
    if (!(await records.replace(record, next))) return null
    emit({ type: 'session.renewed', sessionKey: key, accountId: subject, epoch })
    return true
  })
}
