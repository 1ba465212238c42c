import { allowNativeDelivery } from '@latchkey/accounts'
import { deriveSecrets } from '@latchkey/bytes'
import { createRefreshTokens } from '@latchkey/sessions'
import { describe, expect, test } from 'vitest'
import { createBench, newPassword, password } from '../support/bench.ts'
import { openGrant } from '../support/grants.ts'
import { outcomeOf, ownPage } from '../support/visitor.ts'

const setRole = 'mutation ($input: SetRoleInput!) { setRole(input: $input) { id role } }'

describe('a family of a client', () => {
  test.each([
    ['only what its scopes name', ['openid']],
    ['nothing where no scopes were agreed on', null],
  ])('may do for an administrator %s', async (_title, scopes) => {
    const bench = createBench()
    const admin = await bench.signedIn('ADMIN')
    const reader = await bench.insert()
    const visitor = bench.visitor()
    visitor.bearer = (await openGrant(bench, admin.account, { clientId: 'demo-spa', scopes })).accessToken
    const input = { accountId: reader.id, role: 'ADMIN' }
    expect(outcomeOf(await visitor.ask(setRole, { input }))).toEqual([403, 'FORBIDDEN'])
    expect((await bench.stores.accounts.get(reader.id))?.roles).toEqual(['READER'])
    expect(outcomeOf(await visitor.ask('{ sessions { id } }'))).toEqual([403, 'FORBIDDEN'])
    expect(outcomeOf(await visitor.ask('{ hello }'))).toEqual([200, null])
  })

  /** Every field of the accounts that is not for everyone, with inputs that the service itself would accept. */
  const operations: Readonly<Record<string, readonly [query: string, input?: (id: string) => object]>> = {
    sessions: ['{ sessions { id } }'],
    accounts: ['{ accounts { id } }'],
    'the e-mail address of the viewer': ['{ viewer { email } }'],
    'the role of the viewer': ['{ viewer { role } }'],
    'the role of the session': ['{ session { account { role } } }'],
    revokeSession: ['mutation { revokeSession(id: "se_1") }'],
    revokeAllSessions: ['mutation { revokeAllSessions(exceptCurrent: false) }'],
    confirmPassword: [
      'mutation ($input: ConfirmPasswordInput!) { confirmPassword(input: $input) { status } }',
      () => ({ currentPassword: password }),
    ],
    changePassword: [
      'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }',
      () => ({ currentPassword: password, newPassword }),
    ],
    setRole: [setRole, (accountId) => ({ accountId, role: 'READER' })],
    changeName: [
      'mutation ($input: ChangeNameInput!) { changeName(input: $input) { name } }',
      () => ({ name: 'Somebody Else' }),
    ],
    requestEmailChange: [
      'mutation ($input: RequestEmailChangeInput!) { requestEmailChange(input: $input) }',
      () => ({ newEmail: 'elsewhere@example.com' }),
    ],
    deleteAccount: [
      'mutation ($input: DeleteAccountInput!) { deleteAccount(input: $input) }',
      () => ({ confirm: true }),
    ],
    exportAccount: ['mutation { exportAccount }'],
    findAccounts: ['{ findAccounts { hasNextPage } }'],
    lockAccount: ['mutation { lockAccount(id: "acc_1") { id } }'],
    unlockAccount: ['mutation { unlockAccount(id: "acc_1") { id } }'],
    endSessions: ['mutation { endSessions(accountId: "acc_1") }'],
    auditEntries: ['{ auditEntries { hasNextPage } }'],
  }

  test("may read its account's id with openid, and use no other account operation", async () => {
    const deletion = { onDelete: () => {} }
    const bench = createBench({
      options: { sessions: { nativeDelivery: allowNativeDelivery }, accounts: { deletion } },
    })
    const admin = await bench.signedIn('ADMIN')
    const { accessToken } = await openGrant(bench, admin.account, { clientId: 'demo-spa', scopes: ['openid'] })
    const visitor = Object.assign(bench.visitor(), { bearer: accessToken })
    expect((await visitor.ask('{ viewer { id name } }')).data.viewer.id).toBe(admin.account.id)
    const [stored, listed] = [await bench.stores.accounts.get(admin.account.id), await admin.ask('{ sessions { id } }')]
    for (const [query, input] of Object.values(operations)) {
      const answer = await visitor.ask(query, input && { input: input(admin.account.id) })
      expect([query, ...outcomeOf(answer)]).toEqual([query, 403, 'FORBIDDEN'])
    }
    expect(await bench.stores.accounts.get(admin.account.id)).toEqual(stored)
    expect((await admin.ask('{ sessions { id } }')).data).toEqual(listed.data)
    const { schema } = bench.server.access
    const named = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
      Object.keys(type?.getFields() ?? {}),
    )
    const forEveryone = ['csrfToken', 'signUp', 'verifyEmail', 'signIn', 'refresh', 'signOut', 'requestPasswordReset']
    const byLinks = ['resetPassword', 'confirmEmailChange', 'undoEmailChange']
    const ofOthers = [...byLinks, 'hello', 'secretPlan', 'writeNote', 'viewer', 'session']
    const judged = Object.keys(operations).filter((name) => !name.includes(' '))
    expect(named.sort()).toEqual([...judged, ...forEveryone, ...ofOthers].sort())
  })

  test('can sign out, which revokes its own tokens only', async () => {
    const bench = createBench()
    const owner = await bench.signedIn()
    const grants = [
      await openGrant(bench, owner.account, { clientId: 'demo-spa', scopes: ['openid'] }),
      await openGrant(bench, owner.account, { clientId: 'demo-tv', scopes: ['openid'] }),
    ]
    const [first, second] = grants.map(({ accessToken }) => Object.assign(bench.visitor(), { bearer: accessToken }))
    expect((await first?.ask('mutation { signOut }'))?.data).toEqual({ signOut: true })
    expect((await first?.ask('{ viewer { id } }'))?.status).toBe(401)
    expect((await second?.ask('{ viewer { id } }'))?.status).toBe(200)
    expect((await owner.ask('{ viewer { id } }')).status).toBe(200)
  })

  test.each(['cookie', 'native'] as const)(
    "cannot be refreshed by the service's own refresh, by %s, and stays valid",
    async (channel) => {
      const bench = createBench({ options: { sessions: { nativeDelivery: allowNativeDelivery } } })
      const owner = await bench.signedIn()
      const given = { clientId: 'demo-spa', scopes: ['openid'], channel }
      const { refreshToken } = await openGrant(bench, owner.account, given)
      const visitor = bench.visitor()
      const refresh = 'mutation ($input: RefreshInput) { refresh(input: $input) { accessToken } }'
      if (channel === 'cookie') visitor.jar.set('__Host-refresh', refreshToken)
      const input = channel === 'native' ? { refreshToken } : null
      const answer = await visitor.ask(refresh, { input }, channel === 'cookie' ? ownPage : {})
      expect(outcomeOf(answer)).toEqual([401, 'UNAUTHENTICATED'])
      const families = createRefreshTokens({
        records: bench.stores.records,
        secrets: deriveSecrets(bench.secrets, 'refresh-tokens'),
        now: () => bench.clock.time,
      })
      expect(await families.redeem(refreshToken, { clientId: 'demo-spa', channel })).toMatchObject({ ok: true })
    },
  )
})
