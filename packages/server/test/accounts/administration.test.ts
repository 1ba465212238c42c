import { reportAccess } from '@latchkey/graphql'
import { definePolicy } from '@latchkey/rbac'
import { describe, expect, test } from 'vitest'
import { createBench, password } from '../support/bench.ts'
import { outcomeOf } from '../support/visitor.ts'

const bench = createBench()
const admin = await bench.signedIn('ADMIN')
const setRole = 'mutation ($input: SetRoleInput!) { setRole(input: $input) { id role } }'
const write = 'mutation { writeNote(text: "T") }'
const viewer = '{ viewer { id } }'

describe('setRole', () => {
  test.each(['SESSION', 'TOKEN'] as const)(
    'revokes the sessions of %s, and takes effect at the next sign-in',
    async (delivery) => {
      const other = await bench.signedIn('AUTHOR', delivery)
      expect((await other.ask(write)).status).toBe(200)
      const answer = await admin.ask(setRole, { input: { accountId: other.account.id, role: 'READER' } })
      expect(answer.data.setRole).toEqual({ id: other.account.id, role: 'READER' })
      expect(outcomeOf(await other.ask(viewer))).toEqual([401, 'UNAUTHENTICATED'])
      other.bearer = null
      expect((await other.ask('mutation { refresh { accessToken } }')).status).toBe(401)
      await other.signIn(other.account.email, password, delivery)
      expect(outcomeOf(await other.ask(write))).toEqual([403, 'FORBIDDEN'])
    },
  )

  test('revokes no session if the account already has the role', async () => {
    const other = await bench.signedIn('AUTHOR')
    await admin.ask(setRole, { input: { accountId: other.account.id, role: 'AUTHOR' } })
    expect((await other.ask(viewer)).status).toBe(200)
  })

  test('answers NOT_FOUND for an unknown account, and refuses an unknown role before it executes', async () => {
    const missing = await admin.ask(setRole, { input: { accountId: 'acc_nobody', role: 'READER' } })
    expect(outcomeOf(missing)).toEqual([200, 'NOT_FOUND'])
    const unknown = await admin.ask(setRole, { input: { accountId: admin.account.id, role: 'OWNER' } })
    expect(outcomeOf(unknown)).toEqual([400, 'BAD_USER_INPUT'])
  })

  test('requires accounts:update', async () => {
    const author = await bench.signedIn('AUTHOR')
    const input = { accountId: author.account.id, role: 'ADMIN' }
    expect(outcomeOf(await author.ask(setRole, { input }))).toEqual([403, 'FORBIDDEN'])
    expect(outcomeOf(await bench.visitor().ask(setRole, { input }))).toEqual([401, 'UNAUTHENTICATED'])
    expect((await bench.stores.accounts.get(author.account.id))?.roles).toEqual(['AUTHOR'])
  })
})

describe('the list of accounts', () => {
  test('requires accounts:read, and shows the addresses', async () => {
    const { data } = await admin.ask('{ accounts(first: 1) { email role } }')
    expect(data.accounts).toEqual([{ email: admin.account.email, role: 'ADMIN' }])
    const reader = await bench.signedIn()
    expect(outcomeOf(await reader.ask('{ accounts { id } }'))).toEqual([403, 'FORBIDDEN'])
  })

  test.each([
    ['{ accounts(first: 0) { id } }', 0],
    ['{ accounts(first: 2) { id } }', 2],
    ['{ accounts(first: null) { id } }', 10],
    ['{ accounts { id } }', 10],
  ])('%s has %i', async (query, count) => {
    for (let inserted = 0; inserted < 10; inserted++) await bench.insert()
    expect((await admin.ask(query)).data.accounts).toHaveLength(count)
  })

  test.each([-1, 101, 2_147_483_647])('refuses first: %i', async (first) => {
    const answer = await admin.ask(`{ accounts(first: ${first}) { id } }`)
    expect(answer.errors[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT' } })
  })
})

test('a disabled account is refused with the next request, over everything that it has open', async () => {
  const [session, tokens] = [await bench.signedIn(), await bench.signedIn('READER', 'TOKEN')]
  for (const { account } of [session, tokens])
    await bench.stores.accounts.replace(account.id, {}, { status: 'disabled' })
  for (const visitor of [session, tokens]) expect((await visitor.ask(viewer)).status).toBe(401)
})

test('an account that was removed is not signed in', async () => {
  const visitor = await bench.signedIn()
  await bench.stores.accounts.remove(visitor.account.id)
  expect(outcomeOf(await visitor.ask(viewer))).toEqual([401, 'UNAUTHENTICATED'])
})

describe('the operations of administrators', () => {
  const coordinates = (permissions: readonly `accounts:${string}`[]) => {
    const { server } = createBench({
      options: {
        policy: definePolicy({ permissions, roles: { READER: {}, ADMIN: { permissions } } }) as never,
        typeDefs: 'type Query { hello: String @public }',
        resolvers: {},
      },
    })
    return reportAccess(server.access).rows.map(({ coordinate }) => coordinate)
  }

  const reading = ['Query.accounts', 'Query.findAccounts']
  const updating = ['Mutation.endSessions', 'Mutation.lockAccount', 'Mutation.setRole', 'Mutation.unlockAccount']

  test.each([
    [[], []],
    [['accounts:read'], reading],
    [['accounts:update'], updating],
    [
      ['accounts:read', 'accounts:update'],
      [...updating, ...reading],
    ],
  ] as const)('exist if the policy has their permissions: %j', (permissions, expected) => {
    const found = coordinates(permissions)
    expect(found.filter((name) => [...reading, ...updating].includes(name))).toEqual(expected)
    expect(found).toContain('Query.viewer')
  })
})

test('every field of the accounts has its rule', () => {
  const freshProof = 'factor at most 300 s old, the first one where there is no second'
  const ours = /^(Account|Session|SignInPayload|SignUpPayload|TokenPayload|Query|Mutation)\./
  const application = ['Account.greeting', 'Query.hello', 'Query.secretPlan', 'Mutation.writeNote']
  const rows = reportAccess(bench.server.access).rows.filter(
    ({ coordinate }) => ours.test(coordinate) && !application.includes(coordinate),
  )
  const written = rows.filter(({ rule }) => rule !== 'public').map(({ coordinate, rule }) => `${coordinate}: ${rule}`)
  expect(written).toEqual([
    'Account.email: owner of accounts, or accounts:read; scope accounts:read, or email',
    'Account.role: authenticated',
    'Mutation.changeName: authenticated; first party',
    'Mutation.changePassword: authenticated; first party; credential',
    'Mutation.confirmEmailChange: public; credential',
    'Mutation.confirmPassword: authenticated; first party; credential',
    `Mutation.endSessions: first party; accounts:update; ${freshProof}`,
    `Mutation.exportAccount: authenticated; first party; ${freshProof}`,
    `Mutation.lockAccount: first party; accounts:update; ${freshProof}`,
    'Mutation.refresh: public; credential',
    `Mutation.requestEmailChange: authenticated; first party; ${freshProof}`,
    'Mutation.requestPasswordReset: public; credential',
    'Mutation.resetPassword: public; credential',
    'Mutation.revokeAllSessions: authenticated; first party',
    'Mutation.revokeSession: authenticated; first party',
    `Mutation.setRole: first party; accounts:update; ${freshProof}`,
    'Mutation.signIn: public; credential',
    'Mutation.signUp: public; credential',
    'Mutation.undoEmailChange: public; credential',
    `Mutation.unlockAccount: first party; accounts:update; ${freshProof}`,
    'Mutation.verifyEmail: public; credential',
    'Query.accounts: accounts:read',
    'Query.auditEntries: audit:read',
    'Query.findAccounts: accounts:read',
    'Query.session: authenticated; scope openid; or null',
    'Query.sessions: authenticated; first party',
    'Query.viewer: authenticated; scope openid',
  ])
})

test('an e-mail address is shown to the account itself and with accounts:read', async () => {
  const reader = await bench.signedIn()
  expect((await reader.ask('{ viewer { email } }')).data.viewer.email).toBe(reader.account.email)
  const rows = reportAccess(bench.server.access).rows
  expect(rows.find(({ coordinate }) => coordinate === 'Account.email')?.outcomes).toEqual({
    anonymous: '401',
    READER: 'own',
    AUTHOR: 'own',
    ADMIN: 'yes',
    'third party without scopes': '403',
  })
})
