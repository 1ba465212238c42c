import { AccountsError, type AccountsErrorCode, isAccountsError } from '@latchkey/accounts'
import { expect, test } from 'vitest'

/** As another copy of the package makes it. */
const ofAnotherCopy = (given: object) => Object.assign(new Error('no'), given)

/** Each of them: the compiler names one that is missing. */
const codes: Readonly<Record<AccountsErrorCode, true>> = {
  EMAIL_INVALID: true,
  NAME_INVALID: true,
  PASSWORD_REJECTED: true,
  EMAIL_UNVERIFIED: true,
  EMAIL_IN_USE: true,
  PROVIDER_IN_USE: true,
  SIGN_UP_CLOSED: true,
  DELIVERY_NOT_ALLOWED: true,
  FACTOR_UNAVAILABLE: true,
  OPERATION_UNAVAILABLE: true,
  CANNOT_CHANGE_OWN_ACCOUNT: true,
  LAST_ADMINISTRATOR: true,
  LAST_SIGN_IN_METHOD: true,
  REASON_INVALID: true,
  IMPERSONATION_NOT_ALLOWED: true,
  NOT_WHILE_IMPERSONATING: true,
  API_KEY_REJECTED: true,
  ATTEMPTS_RATE_LIMITED: true,
}

test.each(Object.keys(codes) as AccountsErrorCode[])(
  '%s is an AccountsError, of whichever copy of the package',
  (code) => {
    expect(isAccountsError(new AccountsError(code, 'no'))).toBe(true)
    expect(isAccountsError(ofAnotherCopy({ name: 'AccountsError', code }))).toBe(true)
  },
)

test.each([
  ['another name', ofAnotherCopy({ name: 'StoreError', code: 'EMAIL_INVALID' })],
  ['a code that no release has', ofAnotherCopy({ name: 'AccountsError', code: 'NO_SUCH' })],
  ['no code', ofAnotherCopy({ name: 'AccountsError' })],
  ['the look of one that is no Error', { name: 'AccountsError', code: 'EMAIL_INVALID', message: 'no' }],
  ['nothing', null],
])('isAccountsError returns false for an error with %s', (_what, error) => {
  expect(isAccountsError(error)).toBe(false)
})

test('an AccountsError has the refused field, and null for omitted details', () => {
  const refused = new AccountsError('PASSWORD_REJECTED', 'too short', {
    field: 'password',
    reason: 'too-short',
    minimumCharacters: 15,
  })
  expect({ ...refused, message: refused.message }).toEqual({
    name: 'AccountsError',
    message: 'too short',
    code: 'PASSWORD_REJECTED',
    field: 'password',
    reason: 'too-short',
    minimumCharacters: 15,
    policy: null,
    retryAfterSeconds: null,
  })
  const policy = { name: 'account', limit: 5, windowSeconds: 900 }
  expect(new AccountsError('ATTEMPTS_RATE_LIMITED', 'later', { policy, retryAfterSeconds: 840 })).toMatchObject({
    policy,
    retryAfterSeconds: 840,
  })
  expect(new AccountsError('SIGN_UP_CLOSED', 'closed')).toMatchObject({
    field: null,
    reason: null,
    minimumCharacters: null,
  })
})
