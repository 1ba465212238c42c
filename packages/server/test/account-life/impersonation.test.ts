import { definePolicy } from '@latchkey/rbac'
import { describe, expect, test } from 'vitest'
import { createBench, policy } from '../support/bench.ts'
import { createFactorBench, okData } from '../support/factor-bench.ts'
import { ownForm } from '../support/forms.ts'
import { copyOf, outcomeOf } from '../support/visitor.ts'
import { actAs, acting, on, query, reason, signedInAdmin, start } from './impersonating.ts'

describe('without the option', () => {
  test('the schema has nothing of it but a field of the session that is always null', async () => {
    const bench = createBench({ options: { graphql: { introspection: 'public' } } })
    const names = '{ __schema { types { name fields { name } inputFields { name } } } }'
    const { text, status } = await bench.visitor().ask(names)
    expect(status).toBe(200)
    expect(text.match(/\w*impersonat\w*/gi)).toEqual(['impersonatedBy'])
    expect((await bench.visitor().post('/impersonation/end', {}, ownForm)).status).toBe(404)
  })

  test('what was begun with it grants no access', async () => {
    const { bench, admin } = await acting()
    const without = createFactorBench({ beside: bench })
    const visitor = copyOf(admin, without.visitor())
    expect(outcomeOf(await visitor.ask('{ viewer { id } }'))).toEqual([401, 'UNAUTHENTICATED'])
  })
})

describe('an administrator acts as an account', () => {
  test.each(['SESSION', 'TOKEN', 'NATIVE'] as const)(
    'in the form of the own sign-in, and the answers name both: %s',
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
  ] as const)('until the lifetime is over, to the second: %s, %i s', async (delivery, lifetimeSeconds) => {
    const { bench, admin } = await acting(delivery, { accounts: { impersonation: { lifetimeSeconds } } })
    bench.advance(lifetimeSeconds - 1)
    expect((await admin.ask(query.viewer)).status).toBe(200)
    bench.advance(1)
    expect(outcomeOf(await admin.ask(query.viewer))).toEqual([401, 'UNAUTHENTICATED'])
  })

  test('with an access token that names who acts, and no refresh token', async () => {
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

  test('and the own session goes on, out of reach of the browser', async () => {
    const { admin, before, adminId } = await acting()
    expect(okData(await before.ask(query.viewer)).viewer.id).toBe(adminId)
    expect(before.jar.get('__Host-session')).not.toBe(admin.jar.get('__Host-session'))
  })

  test('and the owner is told by a mail, which does not say why', async () => {
    const { bench, owner } = await acting()
    await expect.poll(() => bench.outbox.filter(({ to }) => to === owner.account.email)).toHaveLength(1)
    const [mail] = bench.outbox.filter(({ to }) => to === owner.account.email)
    expect(mail).toMatchObject({ kind: 'impersonated', data: { minutes: 15 } })
    expect(JSON.stringify(mail)).not.toContain('4711')
  })

  test('and the owner is not told where that is turned off', async () => {
    const { bench, owner } = await acting('SESSION', { accounts: { impersonation: { notify: false } } })
    await bench.server.close()
    expect(bench.outbox.filter(({ to }) => to === owner.account.email)).toEqual([])
  })
})

describe('to act as an account is refused', () => {
  test('without the permission, and to who is not signed in', async () => {
    const bench = createFactorBench({ options: on() })
    const owner = await bench.insert()
    expect(outcomeOf(await start(bench.visitor(), owner.id))).toEqual([401, 'UNAUTHENTICATED'])
    expect(outcomeOf(await start(await bench.signedIn('AUTHOR'), owner.id))).toEqual([403, 'FORBIDDEN'])
    expect((await bench.stores.records.listByOwner(owner.id)).items).toEqual([])
  })

  test('without a second factor, and when it was shown 301 s ago', async () => {
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
  ] as const)('for %s, and nothing is opened', async (_who, role, change) => {
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

  test('for an account that can do what the administrator cannot', async () => {
    const bench = createFactorBench({ options: on({ policy: narrow() }) })
    const [author, reader] = [await bench.insert({ roles: ['AUTHOR'] }), await bench.insert()]
    const admin = await signedInAdmin(bench)
    expect(outcomeOf(await start(admin, author.id))).toEqual([200, 'BAD_USER_INPUT'])
    expect((await bench.stores.records.listByOwner(author.id)).items).toEqual([])
    expect(okData(await start(admin, reader.id)).startImpersonation.account.id).toBe(reader.id)
  })

  test.each(['accounts:impersonate', 'accounts:read', 'accounts:update', 'audit:read', 'ownership:bypass'] as const)(
    'for an account with %s, also when it gets that while someone acts as it',
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

  test('for an account that does not exist', async () => {
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
  ])('with a reason that is %s', async (_what, given) => {
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

  test.each([null, 7, [reason, reason], { text: reason }])('with a reason that is no text: %j', async (given) => {
    const bench = createFactorBench({ options: on() })
    const owner = await bench.insert()
    const admin = await signedInAdmin(bench)
    expect((await start(admin, owner.id, { reason: given })).codes).toContain('BAD_USER_INPUT')
    expect((await bench.stores.records.listByOwner(owner.id)).items).toEqual([])
  })

  test('to who acts as another account already', async () => {
    const { bench, admin } = await acting()
    const other = await bench.insert()
    // The account itself may not, and no one who acts as it.
    expect(outcomeOf(await start(admin, other.id))).toEqual([403, 'FORBIDDEN'])
    expect((await bench.stores.records.listByOwner(other.id)).items).toEqual([])
  })
})
