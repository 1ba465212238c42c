import { checkAccountId } from './check-account-id.ts'
import { confirmTotp } from './confirm-totp.ts'
import { enrollTotp, importTotpSecret } from './enroll-totp.ts'
import type { Totp } from './totp.ts'
import { createTotpContext, type TotpOptions, totpKind } from './totp-context.ts'
import { verifyTotp } from './verify-totp.ts'

/**
 * Creates the factor for codes of an authenticator app.
 *
 * @throws TypeError naming the option that is unknown, missing or not valid.
 *
 * @example
 * import { randomBytes } from '@latchkey/bytes'
 * import { createMemoryDocumentStore } from '@latchkey/store'
 * import { createTotp } from '@latchkey/totp'
 * const totp = createTotp({
 *   documents: createMemoryDocumentStore(),
 *   secrets: [{ id: '2026-01', bytes: randomBytes(32) }],
 *   issuer: 'Example',
 * })
 * const { qrCodeSvg } = await totp.enroll('acc_1', 'ada@example.com')
 * await totp.verify('acc_1', '123456') // { ok: false, reason: 'not-enrolled' }: nothing was confirmed yet
 */
export function createTotp(options: TotpOptions): Totp {
  const context = createTotpContext(options)
  const { active, pending, maxFailures } = context
  return {
    enroll: async (accountId, accountName, { binding = null } = {}) =>
      enrollTotp(context, checkAccountId(accountId), { accountName, binding }),
    confirm: async (accountId, code, confirmOptions = {}) =>
      confirmTotp(context, checkAccountId(accountId), code, confirmOptions),
    verify: async (accountId, code) => verifyTotp(context, checkAccountId(accountId), code),
    importSecret: async (accountId, secret) => importTotpSecret(context, checkAccountId(accountId), secret),
    async find(accountId, { readDocument } = {}) {
      const factor = await active.get(checkAccountId(accountId), readDocument)
      if (!factor) return null
      const { createdAt, lastUsedAt, failures } = factor.value
      return { kind: totpKind, createdAt, lastUsedAt, isDisabled: failures >= maxFailures }
    },
    async remove(accountId) {
      await pending.remove(checkAccountId(accountId))
      return active.remove(accountId)
    },
  }
}
