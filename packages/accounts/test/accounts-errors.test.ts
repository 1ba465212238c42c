import { AccountsError, isAccountsError } from '@latchkey/accounts'
import { expect, test } from 'vitest'

/** As another copy of the package makes it. */
const ofAnotherCopy = (given: object) => Object.assign(new Error('no'), given)

test.each([
  'EMAIL_INVALID',
  'NAME_INVALID',
  'PASSWORD_REFUSED',
  'SIGN_UP_CLOSED',
  'DELIVERY_REFUSED',
  'FACTOR_UNAVAILABLE',
  'OPERATION_UNAVAILABLE',
  'OWN_ACCOUNT',
  'LAST_ADMINISTRATOR',
  'LAST_WAY_IN',
  'REASON_INVALID',
  'IMPERSONATION_REFUSED',
  'IMPERSONATED',
  'ATTEMPTS_THROTTLED',
] as const)('%s is an AccountsError, of whichever copy of the package', (code) => {
  expect(isAccountsError(new AccountsError(code, 'no'))).toBe(true)
  expect(isAccountsError(ofAnotherCopy({ name: 'AccountsError', code }))).toBe(true)
})

test.each([
  ['another name', ofAnotherCopy({ name: 'StoreError', code: 'EMAIL_INVALID' })],
  ['a code that no release has', ofAnotherCopy({ name: 'AccountsError', code: 'NO_SUCH' })],
  ['no code', ofAnotherCopy({ name: 'AccountsError' })],
  ['the look of one that is no Error', { name: 'AccountsError', code: 'EMAIL_INVALID', message: 'no' }],
  ['nothing', null],
])('what has %s is none', (_what, error) => {
  expect(isAccountsError(error)).toBe(false)
})

test('an AccountsError names what was refused, and null where there is nothing to name', () => {
  const refused = new AccountsError('PASSWORD_REFUSED', 'too short', {
    field: 'password',
    reason: 'too-short',
    minimumCharacters: 15,
  })
  expect({ ...refused, message: refused.message }).toEqual({
    name: 'AccountsError',
    message: 'too short',
    code: 'PASSWORD_REFUSED',
    field: 'password',
    reason: 'too-short',
    minimumCharacters: 15,
    policy: null,
    retryAfterSeconds: null,
  })
  const policy = { name: 'account', limit: 5, windowSeconds: 900 }
  expect(new AccountsError('ATTEMPTS_THROTTLED', 'later', { policy, retryAfterSeconds: 840 })).toMatchObject({
    policy,
    retryAfterSeconds: 840,
  })
  expect(new AccountsError('SIGN_UP_CLOSED', 'closed')).toMatchObject({
    field: null,
    reason: null,
    minimumCharacters: null,
  })
})
