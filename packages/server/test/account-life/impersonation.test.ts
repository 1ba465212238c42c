import { definePolicy } from '@latchkey/rbac'
import { describe, expect, test } from 'vitest'
import { createBench, policy } from '../support/bench.ts'
import { createFactorBench, okData } from '../support/factor-bench.ts'
import { ownForm } from '../support/forms.ts'
import { copyOf, outcomeOf } from '../support/visitor.ts'
import { actAs, acting, on, query, reason, signedInAdmin, start } from './impersonating.ts'

describe('without the option', () => {
  test("the schema has only the session's impersonatedBy, which is always null", async () => {
    const bench = createBench({ options: { graphql: { introspection: 'public' } } })
    const names = '{ __schema { types { name fields { name } inputFields { name } } } }'
    const { text, status } = await bench.visitor().ask(names)
    expect(status).toBe(200)
    expect(text.match(/\w*impersonat\w*/gi)).toEqual(['impersonatedBy'])
    expect((await bench.visitor().post('/impersonation/end', {}, ownForm)).status).toBe(404)
  })

  test('an earlier impersonation grants no access', async () => {
    const { bench, admin } = await acting()
    const without = createFactorBench({ beside: bench })
    const visitor = copyOf(admin, without.visitor())
    expect(outcomeOf(await visitor.ask('{ viewer { id } }'))).toEqual([401, 'UNAUTHENTICATED'])
  })
})

describe('an impersonation', () => {
  test.each(['SESSION', 'TOKEN', 'NATIVE'] as const)(
    "has the delivery of the administrator's sign-in, and responses name both accounts: %s",
    async (delivery) => {
      const { owner, admin, adminId } = await acting(delivery)
      expect(okData(await admin.ask(query.viewer)).viewer).toEqual({
        id: owner.account.id,
        name: owner.account.name,
        impersonatedBy: adminId,
      })
      expect(okData(await admin.ask(query.write)).writeNote).toBe('hello')
      expect(okData(await owner.ask(query.viewer)).viewer.impersonatedBy).toBeNull()
    },
  )

  test.each([
    ['SESSION', 900],
    ['TOKEN', 900],
    ['NATIVE', 60],
  ] as const)('expires after its lifetime, to the second: %s, %i s', async (delivery, lifetimeSeconds) => {
    const { bench, admin } = await acting(delivery, { accounts: { impersonation: { lifetimeSeconds } } })
    bench.advance(lifetimeSeconds - 1)
    expect((await admin.ask(query.viewer)).status).toBe(200)
    bench.advance(1)
    expect(outcomeOf(await admin.ask(query.viewer))).toEqual([401, 'UNAUTHENTICATED'])
  })

  test('issues an access token that names the administrator, and no refresh token', async () => {
    const bench = createFactorBench({ options: on({ accounts: { impersonation: { lifetimeSeconds: 60 } } }) })
    const owner = await bench.insert()
    const admin = await signedInAdmin(bench, 'NATIVE')
    const { startImpersonation: begun, ...rest } = okData(await start(admin, owner.id))
    expect([rest, begun.csrfToken, begun.expiresIn]).toEqual([{}, null, 60])
    const [, payload = ''] = begun.accessToken.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    expect(claims).toMatchObject({ sub: owner.id, act: { sub: admin.account.id } })
    expect(claims.exp * 1000).toBeLessThanOrEqual(bench.clock.time + 60_000)
  })

  test("keeps the administrator's own session, out of reach of the browser", async () => {
    const { admin, before, adminId } = await acting()
    expect(okData(await before.ask(query.viewer)).viewer.id).toBe(adminId)
    expect(before.jar.get('__Host-session')).not.toBe(admin.jar.get('__Host-session'))
  })

  test('notifies the owner by a mail that does not contain the reason', async () => {
    const { bench, owner } = await acting()
    await expect.poll(() => bench.outbox.filter(({ to }) => to === owner.account.email)).toHaveLength(1)
    const [mail] = bench.outbox.filter(({ to }) => to === owner.account.email)
    expect(mail).toMatchObject({ kind: 'impersonated', data: { minutes: 15 } })
    expect(JSON.stringify(mail)).not.toContain('4711')
  })

  test('sends no mail with notify: false', async () => {
    const { bench, owner } = await acting('SESSION', { accounts: { impersonation: { notify: false } } })
    await bench.server.close()
    expect(bench.outbox.filter(({ to }) => to === owner.account.email)).toEqual([])
  })
})

describe('an impersonation is refused', () => {
  test('if the administrator lacks the permission or a sign-in', async () => {
    const bench = createFactorBench({ options: on() })
    const owner = await bench.insert()
    expect(outcomeOf(await start(bench.visitor(), owner.id))).toEqual([401, 'UNAUTHENTICATED'])
    expect(outcomeOf(await start(await bench.signedIn('AUTHOR'), owner.id))).toEqual([403, 'FORBIDDEN'])
    expect((await bench.stores.records.listByOwner(owner.id)).items).toEqual([])
  })

  test('if the second factor is missing, or was proven 301 s ago', async () => {
    const bench = createFactorBench({ options: on() })
    const owner = await bench.insert()
    expect(outcomeOf(await start(await bench.signedIn('ADMIN'), owner.id))).toEqual([401, 'STEP_UP_REQUIRED'])
    const admin = await signedInAdmin(bench)
    bench.advance(301)
    expect(outcomeOf(await start(admin, owner.id))).toEqual([401, 'STEP_UP_REQUIRED'])
    expect((await bench.stores.records.listByOwner(owner.id)).items).toEqual([])
  })

  test.each([
    ['oneself', null, {}],
    ['another administrator', 'ADMIN', {}],
    ['an account with several roles, one of which administers', null, { roles: ['READER', 'ADMIN'] }],
    ['a locked account', null, { status: 'locked' }],
    ['a disabled account', null, { status: 'disabled' }],
    ['an account that was never verified', null, { status: 'unverified' }],
  ] as const)('if the target is %s, and no session is stored', async (_who, role, change) => {
    const bench = createFactorBench({ options: on() })
    const admin = await signedInAdmin(bench)
    const isOneself = role === null && Object.keys(change).length === 0
    const account = isOneself
      ? admin.account
      : await bench.insert({ ...(role && { roles: [role] }), ...(change as object) })
    const before = (await bench.stores.records.listByOwner(account.id)).items.length
    const refused = await start(admin, account.id)
    expect([...outcomeOf(refused), refused.errors[0]?.extensions.field]).toEqual([
      200,
      'BAD_USER_INPUT',
      'input.accountId',
    ])
    expect(refused.cookies).toEqual([])
    expect((await bench.stores.records.listByOwner(account.id)).items).toHaveLength(before)
    expect(bench.events.at(-1)).toMatchObject({ type: 'impersonation.refused', accountId: account.id })
  })

  const permissions = policy.permissions

  /** Administrators of this service write no notes. */
  const narrow = () =>
    definePolicy({
      permissions,
      roles: {
        READER: {},
        AUTHOR: { permissions: ['notes:write'] },
        ADMIN: { permissions: ['accounts:impersonate'] },
      },
    })

  test('if the account has a permission that the administrator lacks', async () => {
    const bench = createFactorBench({ options: on({ policy: narrow() }) })
    const [author, reader] = [await bench.insert({ roles: ['AUTHOR'] }), await bench.insert()]
    const admin = await signedInAdmin(bench)
    expect(outcomeOf(await start(admin, author.id))).toEqual([200, 'BAD_USER_INPUT'])
    expect((await bench.stores.records.listByOwner(author.id)).items).toEqual([])
    expect(okData(await start(admin, reader.id)).startImpersonation.account.id).toBe(reader.id)
  })

  test.each(['accounts:impersonate', 'accounts:read', 'accounts:update', 'audit:read', 'ownership:bypass'] as const)(
    'if the account has %s, even if it gets the permission during the impersonation',
    async (permission) => {
      const changing = definePolicy({
        permissions,
        roles: { READER: {}, AUTHOR: {}, ADMIN: { permissions: [...permissions] } },
      })
      const bench = createFactorBench({ options: on({ policy: changing }) })
      const account = await bench.insert({ roles: ['AUTHOR'] })
      const admin = await signedInAdmin(bench)
      await actAs(admin, account.id)
      expect((await admin.ask(query.viewer)).status).toBe(200)
      changing.changeRoles({ AUTHOR: { permissions: [permission] } })
      expect(outcomeOf(await admin.ask(query.viewer))).toEqual([401, 'UNAUTHENTICATED'])
      const again = await signedInAdmin(bench)
      expect(outcomeOf(await start(again, account.id))).toEqual([200, 'BAD_USER_INPUT'])
    },
  )

  test('if the account does not exist', async () => {
    const bench = createFactorBench({ options: on() })
    const admin = await signedInAdmin(bench)
    expect(outcomeOf(await start(admin, 'acc_none'))).toEqual([200, 'NOT_FOUND'])
  })

  test.each([
    ['nothing', ''],
    ['spaces', '   '],
    ['501 characters', 'x'.repeat(501)],
    ['two lines', 'two\nlines'],
    ['a control character', 'bell\u0007'],
    ['a change of direction', 'turned\u202earound'],
    ['half of a pair', 'half \ud800 a pair'],
    ['a null', 'a\u0000b'],
  ])('if the reason is %s', async (_what, given) => {
    const bench = createFactorBench({ options: on() })
    const owner = await bench.insert()
    const admin = await signedInAdmin(bench)
    const refused = await start(admin, owner.id, { reason: given })
    expect([...outcomeOf(refused), refused.errors[0]?.extensions.field]).toEqual([
      200,
      'BAD_USER_INPUT',
      'input.reason',
    ])
    expect((await bench.stores.records.listByOwner(owner.id)).items).toEqual([])
  })

  test.each([null, 7, [reason, reason], { text: reason }])('if the reason is not a string: %j', async (given) => {
    const bench = createFactorBench({ options: on() })
    const owner = await bench.insert()
    const admin = await signedInAdmin(bench)
    expect((await start(admin, owner.id, { reason: given })).codes).toContain('BAD_USER_INPUT')
    expect((await bench.stores.records.listByOwner(owner.id)).items).toEqual([])
  })

  test('while the administrator acts as another account', async () => {
    const { bench, admin } = await acting()
    const other = await bench.insert()
    // The account itself may not, and no one who acts as it.
    expect(outcomeOf(await start(admin, other.id))).toEqual([403, 'FORBIDDEN'])
    expect((await bench.stores.records.listByOwner(other.id)).items).toEqual([])
  })
})
