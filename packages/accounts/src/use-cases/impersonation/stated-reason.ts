import { AccountsError } from '../../errors.ts'

const mostCharacters = 500

/**
 * Returns the trimmed reason of an impersonation.
 *
 * @throws AccountsError REASON_INVALID.
 */
export function readReason(given: unknown): string {
  const reason = typeof given === 'string' && given.isWellFormed() ? given.normalize('NFC').trim() : ''
  const isPlain = reason !== '' && [...reason].length <= mostCharacters && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(reason)
  if (isPlain) return reason
  throw new AccountsError('REASON_INVALID', `a reason must have 1 to ${mostCharacters} characters`, { field: 'reason' })
}
