import { allowNativeDelivery, allowUnlimitedAttempts } from '@latchkey/accounts'
import { describe, expect, test } from 'vitest'
import { createBench, newPassword, password } from '../support/bench.ts'
import { outcomeOf } from '../support/visitor.ts'

const bench = createBench({
  options: { sessions: { nativeDelivery: allowNativeDelivery }, signIn: { attemptLimits: allowUnlimitedAttempts } },
})
const admin = await bench.signedIn('ADMIN')

/** Texts that a client can write into JSON. */
const hostile: Readonly<Record<string, string>> = {
  'an empty text': '',
  'white space': ' \t\n ',
  'a NUL': 'a\0b',
  'a control character': 'a\u0007b\u001b[2J',
  'a line break': 'an otter\r\nSet-Cookie: x=1',
  'a lone high surrogate': 'a\ud800b',
  'a lone low surrogate': '\udc00',
  'a mark that turns text around': 'a\u202eb',
  'a byte order mark': '\ufeff',
  'many combining marks': `a${'\u0301'.repeat(5000)}`,
  'a very long text': 'x'.repeat(50_000),
  'a very long text of four bytes each': '\u{1f600}'.repeat(12_000),
  'a name of the prototype': '__proto__',
  markup: '"><script>alert(1)</script>',
  'something of SQL': "' or 1=1 --",
  'something of GraphQL': '") { id } }',
  'something like an account': 'acc_0',
  'something like a credential': 'se_TgV3qYw1ZkRb7NcXm0LpUg.kQ2vXn8RzT4bWc6YdF1gHj3KlM5pAs7DfGh9JkLqWeE',
}

type Row = readonly [status: number, code: string | null]
const refusedInput: Row = [200, 'BAD_USER_INPUT']
const refusedCredentials: Row = [401, 'INVALID_CREDENTIALS']

interface Field {
  readonly query: string
  readonly variables: (text: string) => object
  /** The row of the table for every hostile text; where some are fine, which. */
  readonly row: Row
  readonly fine?: readonly string[]
}

const wellFormedNames = [
  'a byte order mark',
  'a name of the prototype',
  'markup',
  'something of SQL',
  'something of GraphQL',
  'something like an account',
  'something like a credential',
]

const fields: Readonly<Record<string, Field>> = {
  'signUp email': {
    query: 'mutation ($t: String!, $p: String!) { signUp(input: { email: $t, password: $p, name: "N" }) { accepted } }',
    variables: (t) => ({ t, p: password }),
    row: refusedInput,
  },
  'signUp password': {
    query: 'mutation ($t: String!) { signUp(input: { email: "a@example.com", password: $t, name: "N" }) { accepted } }',
    variables: (t) => ({ t }),
    row: refusedInput,
    fine: ['a line break', 'markup', 'something like a credential'],
  },
  'signUp name': {
    query:
      'mutation ($t: String!, $p: String!) { signUp(input: { email: "a@example.com", password: $p, name: $t }) { accepted } }',
    variables: (t) => ({ t, p: password }),
    row: refusedInput,
    fine: wellFormedNames,
  },
  'signIn email': {
    query: 'mutation ($t: String!, $p: String!) { signIn(input: { email: $t, password: $p }) { status } }',
    variables: (t) => ({ t, p: password }),
    row: refusedCredentials,
  },
  'signIn password': {
    query: 'mutation ($t: String!, $e: String!) { signIn(input: { email: $e, password: $t }) { status } }',
    variables: (t) => ({ t, e: admin.account.email }),
    row: refusedCredentials,
  },
  'verifyEmail token': {
    query: 'mutation ($t: String!) { verifyEmail(input: { token: $t }) }',
    variables: (t) => ({ t }),
    row: refusedInput,
  },
  'verifyEmail password': {
    query: 'mutation ($t: String!) { verifyEmail(input: { token: "verify_none", password: $t }) }',
    variables: (t) => ({ t }),
    row: refusedInput,
  },
  'signIn deviceToken': {
    query:
      'mutation ($t: String!, $e: String!, $p: String!) { signIn(input: { email: $e, password: $p, deviceToken: $t }) { status } }',
    variables: (t) => ({ t, e: admin.account.email, p: password }),
    row: [200, null],
  },
  'requestPasswordReset deviceToken': {
    query: 'mutation ($t: String!, $e: String!) { requestPasswordReset(input: { email: $e, deviceToken: $t }) }',
    variables: (t) => ({ t, e: admin.account.email }),
    row: [200, null],
  },
  'refresh token': {
    query: 'mutation ($t: String!) { refresh(input: { refreshToken: $t }) { accessToken } }',
    variables: (t) => ({ t }),
    row: [401, 'UNAUTHENTICATED'],
  },
  'requestPasswordReset email': {
    query: 'mutation ($t: String!) { requestPasswordReset(input: { email: $t }) }',
    variables: (t) => ({ t }),
    row: [200, null],
  },
  'resetPassword token': {
    query: 'mutation ($t: String!, $p: String!) { resetPassword(input: { token: $t, newPassword: $p }) }',
    variables: (t) => ({ t, p: newPassword }),
    row: refusedInput,
  },
}

const privateFields: Readonly<Record<string, Field>> = {
  'changePassword current': {
    query: 'mutation ($t: String!, $p: String!) { changePassword(input: { currentPassword: $t, newPassword: $p }) }',
    variables: (t) => ({ t, p: newPassword }),
    row: [403, 'INVALID_CREDENTIALS'],
  },
  'changePassword new': {
    query: 'mutation ($t: String!) { changePassword(input: { currentPassword: "wrong", newPassword: $t }) }',
    variables: (t) => ({ t }),
    row: refusedInput,
    fine: ['a line break', 'markup', 'something like a credential'],
  },
  'revokeSession id': {
    query: 'mutation ($t: ID!) { revokeSession(id: $t) }',
    variables: (t) => ({ t }),
    row: [200, null],
  },
  'setRole accountId': {
    query: 'mutation ($t: ID!) { setRole(input: { accountId: $t, role: READER }) { id } }',
    variables: (t) => ({ t }),
    row: [200, 'NOT_FOUND'],
  },
}

const fieldsOfLife: Readonly<Record<string, Field>> = {
  'changeName name': {
    query: 'mutation ($t: String!) { changeName(input: { name: $t }) { id } }',
    variables: (t) => ({ t }),
    row: refusedInput,
    fine: wellFormedNames.filter((name) => name !== 'a byte order mark'),
  },
  'requestEmailChange newEmail': {
    query: 'mutation ($t: String!) { requestEmailChange(input: { newEmail: $t }) }',
    variables: (t) => ({ t }),
    row: refusedInput,
  },
  'confirmEmailChange token': {
    query: 'mutation ($t: String!) { confirmEmailChange(input: { token: $t }) }',
    variables: (t) => ({ t }),
    row: refusedInput,
  },
  'undoEmailChange token': {
    query: 'mutation ($t: String!) { undoEmailChange(input: { token: $t }) }',
    variables: (t) => ({ t }),
    row: refusedInput,
  },
  'lockAccount id': {
    query: 'mutation ($t: ID!) { lockAccount(id: $t) { id } }',
    variables: (t) => ({ t }),
    row: [200, 'NOT_FOUND'],
  },
  'unlockAccount id': {
    query: 'mutation ($t: ID!) { unlockAccount(id: $t) { id } }',
    variables: (t) => ({ t }),
    row: [200, 'NOT_FOUND'],
  },
  'endSessions accountId': {
    query: 'mutation ($t: ID!) { endSessions(accountId: $t) }',
    variables: (t) => ({ t }),
    row: [200, 'NOT_FOUND'],
  },
  'findAccounts text': {
    query: 'query ($t: String!) { findAccounts(text: $t) { nodes { id } } }',
    variables: (t) => ({ t }),
    row: [200, null],
  },
  'findAccounts after': {
    query: 'query ($t: ID!) { findAccounts(after: $t) { nodes { id } } }',
    variables: (t) => ({ t }),
    row: refusedInput,
  },
}

const texts = Object.entries(hostile)

describe.each(Object.entries(fields))('%s', (_field, { query, variables, row, fine = [] }) => {
  test.each(texts)('has its row for %s', async (name, text) => {
    const answer = await bench.visitor().ask(query, variables(text))
    if (fine.includes(name)) expect(answer.status).toBe(200)
    else expect(outcomeOf(answer)).toEqual(row)
  })
})

describe.each(Object.entries(privateFields))('%s', (_field, { query, variables, row, fine = [] }) => {
  test.each(texts)('has its row for %s', async (name, text) => {
    const answer = await admin.ask(query, variables(text))
    if (fine.includes(name)) expect(answer.status).toBe(403)
    else expect(outcomeOf(answer)).toEqual(row)
  })
})

describe.each(Object.entries(fieldsOfLife))('%s', (_field, { query, variables, row, fine = [] }) => {
  test.each(texts)('has its row for %s', async (name, text) => {
    const answer = await admin.ask(query, variables(text))
    expect(outcomeOf(answer)).toEqual(fine.includes(name) ? [200, null] : row)
  })
})

test.each(texts)('cookies and headers may hold %s', async (_name, text) => {
  const value = encodeURIComponent(text.toWellFormed()).slice(0, 8000)
  for (const headers of [
    { cookie: `__Host-session=${value}` },
    { cookie: `__Host-refresh=${value}` },
    { cookie: `__Host-device=${value}; __Host-sign-up=${value}` },
    { authorization: `Bearer ${value}` },
    { 'x-csrf-token': value, cookie: `__Host-session=${value}; __Host-session=${value}` },
    { 'user-agent': value },
  ]) {
    expect((await bench.visitor().ask('{ hello }', {}, headers)).data).toEqual({ hello: 'Hello' })
    expect(outcomeOf(await bench.visitor().ask('{ viewer { id } }', {}, headers))).toEqual([401, 'UNAUTHENTICATED'])
  }
})

describe('input of a wrong type is refused before anything runs', () => {
  const values = { number: 1, boolean: true, list: ['a'], object: { a: 1 }, null: null, nothing: undefined }
  const inputs = {
    signUp: ['SignUpInput', 'email', '{ accepted }'],
    signIn: ['SignInInput', 'password', '{ status }'],
    verifyEmail: ['VerifyEmailInput', 'token', ''],
    requestPasswordReset: ['RequestPasswordResetInput', 'email', ''],
    resetPassword: ['ResetPasswordInput', 'newPassword', ''],
    confirmEmailChange: ['ConfirmEmailChangeInput', 'token', ''],
    undoEmailChange: ['UndoEmailChangeInput', 'token', ''],
  } as const
  const whole = { email: 'a@example.com', password, name: 'N', token: 't', newPassword }
  const cases = Object.entries(inputs).flatMap(([operation, row]) =>
    Object.entries(values).map(([what, value]) => [operation, what, value, row] as const),
  )

  test.each(cases)('%s with %s', async (operation, _what, value, [type, field, selection]) => {
    const allowed = { signUp: ['email', 'password', 'name'], signIn: ['email', 'password'], verifyEmail: ['token'] }
    const names = (allowed as Record<string, readonly string[]>)[operation] ?? Object.keys({ [field]: 1 })
    const input = Object.fromEntries(Object.entries(whole).filter(([name]) => names.includes(name)))
    const answer = await bench
      .visitor()
      .ask(`mutation ($input: ${type}!) { ${operation}(input: $input) ${selection} }`, {
        input: { ...input, [field]: value },
      })
    expect(outcomeOf(answer)).toEqual([400, 'BAD_USER_INPUT'])
  })

  test('an unknown delivery and an unknown field', async () => {
    const query = 'mutation ($input: SignInInput!) { signIn(input: $input) { status } }'
    for (const more of [{ delivery: 'COOKIE' }, { delivery: 1 }, { remember: true }]) {
      const answer = await bench.visitor().ask(query, { input: { email: 'a@example.com', password, ...more } })
      expect(outcomeOf(answer)).toEqual([400, 'BAD_USER_INPUT'])
    }
  })
})

test('a body over the limit is 413', async () => {
  const answer = await bench
    .visitor()
    .ask('mutation ($t: String!) { verifyEmail(input: { token: $t }) }', { t: 'x'.repeat(100_000) })
  expect(outcomeOf(answer)).toEqual([413, 'PAYLOAD_TOO_LARGE'])
})
