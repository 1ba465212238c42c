import { definePolicy, openRoles, type RoleDefinition } from '@latchkey/rbac'
import type { DocumentStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type Bench, password, policy } from '../support/bench.ts'
import { createFactorBench, okData } from '../support/factor-bench.ts'
import { copyOf, outcomeOf } from '../support/visitor.ts'
import { actAs, acting, on, query, signedInAdmin, start } from './impersonating.ts'

/** That of a process of its own: which permissions its roles have is changed by the store. */
const policyOfItsOwn = () =>
  definePolicy({
    permissions: policy.permissions,
    roles: { READER: {}, AUTHOR: {}, ADMIN: { permissions: [...policy.permissions] } },
  })

describe('an impersonation', () => {
  type Scene = Awaited<ReturnType<typeof acting>>
  const endings: readonly (readonly [string, (scene: Scene) => Promise<unknown>])[] = [
    ['the administrator signs out', ({ before }) => before.ask('mutation { signOut }')],
    ['everything of the administrator is ended', ({ before }) => before.ask('mutation { revokeAllSessions }')],
    ['the administrator is disabled', ({ bench, adminId }) => change(bench, adminId, { status: 'disabled' })],
    ['the administrator is locked', ({ bench, adminId }) => change(bench, adminId, { status: 'locked' })],
    ['the administrator has another role', ({ bench, adminId }) => change(bench, adminId, { roles: ['AUTHOR'] })],
    ['the administrator has another epoch', ({ bench, adminId }) => change(bench, adminId, { epoch: 99 })],
    ['the administrator is removed', ({ bench, adminId }) => bench.stores.accounts.remove(adminId)],
    ['the account is disabled', ({ bench, owner }) => change(bench, owner.account.id, { status: 'disabled' })],
    ['the account has another epoch', ({ bench, owner }) => change(bench, owner.account.id, { epoch: 99 })],
    [
      'the account becomes an administrator',
      ({ bench, owner }) => change(bench, owner.account.id, { roles: ['ADMIN'] }),
    ],
    ['the owner ends everything else', ({ owner }) => owner.ask('mutation { revokeAllSessions }')],
    [
      'the owner changes the password',
      ({ owner }) =>
        owner.ask('mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }', {
          input: { currentPassword: password, newPassword: 'seven kettles hum along' },
        }),
    ],
    [
      'the owner ends it in the list of devices',
      async ({ owner }) => {
        const { sessions } = okData(await owner.ask(query.sessions))
        const { id } = sessions.find((session: { impersonatedBy: string | null }) => session.impersonatedBy !== null)
        await owner.ask('mutation ($id: ID!) { revokeSession(id: $id) }', { id })
      },
    ],
    ['the administrator says so', ({ admin }) => admin.ask(query.end)],
    ['it is signed out of', ({ admin }) => admin.ask('mutation { signOut }')],
  ]
  const change = (bench: Bench, id: string, next: object) => bench.stores.accounts.replace(id, {}, next)

  test.each(
    endings.flatMap(([when, end]) => (['SESSION', 'NATIVE'] as const).map((form) => [when, form, end] as const)),
  )('stops from the next request when %s: %s', async (_when, form, end) => {
    const scene = await acting(form)
    const { bench, admin } = scene
    const copy = copyOf(admin, bench.visitor())
    expect((await copy.ask(query.viewer)).status).toBe(200)
    await end(scene)
    expect(outcomeOf(await copy.ask(query.viewer))).toEqual([401, 'UNAUTHENTICATED'])
  })

  /** Changes the roles as another process of the service does. */
  async function setRoles(
    documents: DocumentStore | undefined,
    roles: Readonly<Record<string, RoleDefinition<string, string>>>,
  ): Promise<void> {
    if (!documents) throw new Error('the service keeps no documents')
    const elsewhere = await openRoles({
      policy: policyOfItsOwn(),
      documents,
      onRefused: (error) => Promise.reject(error),
    })
    for (const [role, definition] of Object.entries(roles)) await elsewhere.set(role, definition as never)
  }

  const ofAuthors: readonly (readonly [string, Readonly<Record<string, RoleDefinition<string, string>>>])[] = [
    ['the role of the account gets a permission of administrators', { AUTHOR: { permissions: ['audit:read'] } }],
    ['the role of the administrator loses its permission', { ADMIN: { permissions: ['accounts:read'] } }],
  ]
  test.each(ofAuthors)('stops in another process from the first request after %s', async (_when, roles) => {
    const first = createFactorBench()
    const { stores } = first
    const processOf = () =>
      createFactorBench({
        options: on({ policy: policyOfItsOwn(), accounts: { changingRoles: {} } }),
        beside: { ...first, stores },
      })
    const bench = processOf()
    const other = processOf()
    const owner = await bench.insert({ roles: ['AUTHOR'] })
    const admin = await actAs(await signedInAdmin(bench), owner.id)
    const there = copyOf(admin, other.visitor())
    expect((await there.ask(query.viewer)).status).toBe(200)
    await setRoles(stores.documents, roles)
    expect(outcomeOf(await there.ask('{ auditEntries(first: 1) { nodes { id } } }'))).toEqual([401, 'UNAUTHENTICATED'])
    expect(outcomeOf(await there.ask(query.viewer))).toEqual([401, 'UNAUTHENTICATED'])
  })

  test("stops with the administrator's own session if it replaced its cookie", async () => {
    const { admin, before } = await acting()
    const ended = await admin.ask(query.end)
    expect(okData(ended).endImpersonation).toBe(true)
    expect(admin.jar.has('__Host-session')).toBe(false)
    expect(outcomeOf(await before.ask(query.viewer))).toEqual([401, 'UNAUTHENTICATED'])
  })

  test("stops alone with tokens, and the administrator's own tokens stay valid", async () => {
    const { admin, before, adminId } = await acting('NATIVE')
    expect(okData(await admin.ask(query.end)).endImpersonation).toBe(true)
    expect(okData(await before.ask(query.viewer)).viewer.id).toBe(adminId)
  })

  test('is stopped by exactly one of fifty concurrent requests', async () => {
    const { admin } = await acting('NATIVE')
    const answers = await Promise.all(Array.from({ length: 50 }, () => admin.ask(query.end)))
    expect(answers.filter(({ data }) => data?.endImpersonation === true)).toHaveLength(1)
  })

  test('cannot be stopped by an account that acts as itself', async () => {
    const { owner } = await acting()
    expect(okData(await owner.ask(query.end)).endImpersonation).toBe(false)
    expect((await owner.ask(query.viewer)).status).toBe(200)
  })

  test('stays signed in through an outage of a store, during which requests are refused', async () => {
    const failing = { isOn: false }
    const { admin } = await acting('SESSION', {}, (given) =>
      createFactorBench({
        ...given,
        async around(call, run) {
          if (failing.isOn && call === 'accounts.get') throw new Error('no answer')
          return run()
        },
      }),
    )
    failing.isOn = true
    expect((await admin.ask(query.viewer)).status).toBeGreaterThanOrEqual(500)
    failing.isOn = false
    expect((await admin.ask(query.viewer)).status).toBe(200)
  })

  test('leaves no session if the account changes while it starts', async () => {
    const racing: { run: (() => Promise<unknown>) | null } = { run: null }
    const bench: Bench = createFactorBench({
      options: on(),
      async around(call, run) {
        const answered = await run()
        const due = racing.run
        if (due && call === 'records.insert') {
          racing.run = null
          await due()
        }
        return answered
      },
    })
    const owner = await bench.insert()
    for (const who of ['owner', 'administrator'] as const) {
      const admin = await signedInAdmin(bench)
      const id = who === 'owner' ? owner.id : admin.account.id
      racing.run = async () => {
        const { epoch = 0 } = (await bench.stores.accounts.get(id)) ?? {}
        await bench.stores.accounts.replace(id, {}, { epoch: epoch + 1 })
      }
      expect(outcomeOf(await start(admin, owner.id))).toEqual([200, 'BAD_USER_INPUT'])
      expect((await bench.stores.records.listByOwner(owner.id)).items).toEqual([])
    }
  })
})
