import { allowUnaudited } from '@latchkey/server'
import { expect, test } from 'vitest'
import { askEntries, createAuditedBench, listEntries } from '../support/audited-bench.ts'
import { createBench, password } from '../support/bench.ts'
import { createVisitor } from '../support/visitor.ts'

const setRole = 'mutation ($input: SetRoleInput!) { setRole(input: $input) { role } }'

test('an administrator sees actor, account, kind and origin of decisions, newest first', async () => {
  const bench = await createAuditedBench()
  const reader = await bench.insert()
  const admin = await bench.signedIn('ADMIN')
  bench.advance(1)
  admin.headers = { 'user-agent': 'Mozilla/5.0 (X11)' }
  const { headers } = await admin.ask(setRole, { input: { accountId: reader.id, role: 'AUTHOR' } })
  const { nodes, endCursor, hasNextPage } = await listEntries(admin)
  expect(nodes).toEqual([
    {
      id: expect.any(String),
      at: new Date(bench.clock.time).toISOString(),
      kind: 'role.changed',
      state: 'done',
      accountId: reader.id,
      actorId: admin.account.id,
      address: null,
      userAgent: 'Mozilla/5.0 (X11)',
      requestId: headers.get('x-request-id'),
    },
    expect.objectContaining({ kind: 'session.created', accountId: admin.account.id, actorId: admin.account.id }),
  ])
  expect([endCursor, hasNextPage]).toEqual([null, false])
})

test.each(['READER', 'AUTHOR'] as const)('%s may not read the audit log', async (role) => {
  const bench = await createAuditedBench()
  const visitor = await bench.signedIn(role)
  expect(await askEntries(visitor)).toMatchObject({ status: 403, codes: ['FORBIDDEN'] })
})

test('the audit log is refused without a sign-in', async () => {
  const bench = await createAuditedBench()
  expect(await askEntries(bench.visitor())).toMatchObject({ status: 401, codes: ['UNAUTHENTICATED'] })
})

test('entries can be listed for a single account or a single kind', async () => {
  const bench = await createAuditedBench()
  const { id, email } = await bench.insert()
  await bench.visitor().signIn(email, password)
  await bench.visitor().signIn(email, 'herons never read at dusk')
  await bench.visitor().signIn('nobody@example.com', 'herons never read at dusk')
  const admin = await bench.signedIn('ADMIN')
  const kindsOf = async (variables: object) => (await listEntries(admin, variables)).nodes.map(({ kind }) => kind)
  expect(await kindsOf({ accountId: id })).toEqual(['sign-in.failed', 'session.created'])
  expect(await kindsOf({ kind: 'sign-in.failed' })).toEqual(['sign-in.failed', 'sign-in.failed'])
  expect(await kindsOf({ accountId: id, kind: 'sign-in.failed' })).toEqual(['sign-in.failed'])
  expect(await kindsOf({ kind: 'audit.checkpoint' })).toEqual([])
})

test('pages contain each entry once, and the last page has no next page', async () => {
  const bench = await createAuditedBench()
  const admin = await bench.signedIn('ADMIN')
  for (let count = 0; count < 6; count++) {
    bench.advance(1)
    await admin.ask(setRole, { input: { accountId: (await bench.insert()).id, role: 'AUTHOR' } })
  }
  const all = (await listEntries(admin)).nodes
  expect(all).toHaveLength(7)
  const paged: unknown[] = []
  let after: string | null = null
  for (let pages = 0; pages < 10; pages++) {
    const page = await listEntries(admin, { first: 3, after })
    paged.push(...page.nodes)
    after = page.endCursor
    expect(page.hasNextPage).toBe(after !== null)
    if (after === null) break
  }
  expect(paged).toEqual(all)
  expect((await listEntries(admin, { first: 0 })).nodes).toEqual([])
})

test.each(['', 'x', 'AAAA', '%%%', '"1 2 3', `${'A'.repeat(300)}`])(
  'a malformed cursor is refused: %j',
  async (after) => {
    const bench = await createAuditedBench()
    const admin = await bench.signedIn('ADMIN')
    const { data, errors } = await askEntries(admin, { after })
    expect(data).toBeNull()
    expect(errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'after' })
  },
)

test('a decision has an unknown outcome if its process has crashed', async () => {
  const bench = await createAuditedBench()
  const admin = await bench.signedIn('ADMIN')
  const { id } = await bench.insert()
  bench.failAppend(2)
  const { status } = await admin.ask(setRole, { input: { accountId: id, role: 'AUTHOR' } })
  expect(status).toBe(200)
  expect((await listEntries(admin)).nodes[0]).toMatchObject({ kind: 'role.changed', state: 'unknown', accountId: id })
})

test('without the permission in the policy, without a store, or unaudited, there is no such field', async () => {
  const withoutStore = createBench()
  const { audit: _audit, ...stores } = withoutStore.stores
  for (const bench of [createBench({ options: { audit: allowUnaudited } }), createBench({ options: { stores } })]) {
    const { errors } = await askEntries(createVisitor(bench.server))
    expect(errors[0]?.message).toMatch(/auditEntries/)
  }
})

test('a service with allowUnaudited writes no audit rows', async () => {
  const bench = await createAuditedBench({ audit: allowUnaudited })
  await bench.signedIn()
  await bench.server.close()
})
