import { allowNativeDelivery } from '@latchkey/accounts'
import { encodeBase64url } from '@latchkey/bytes'
import { describe, expect, test } from 'vitest'
import { askEntries, createAuditedBench } from '../support/audited-bench.ts'
import { createBench, password, policy } from '../support/bench.ts'
import { okData } from '../support/factor-bench.ts'
import { openGrant } from '../support/grants.ts'
import { deliveries, outcomeOf, refreshBy } from '../support/visitor.ts'
import { life } from './operations.ts'

const viewer = '{ viewer { id } }'
const options = { sessions: { nativeDelivery: allowNativeDelivery } } as const

describe('findAccounts', () => {
  test('finds by a part of the address, the name or the id, in any case', async () => {
    const bench = createBench()
    const admin = await bench.signedIn('ADMIN')
    const ada = await bench.insert({ name: 'Ada Lovelace', email: 'countess@example.org' })
    await bench.insert({ name: 'Someone Else' })
    for (const text of ['LOVE', 'countess@', ada.id.toUpperCase(), ' ada ']) {
      const { nodes, hasNextPage, endCursor } = okData(await admin.ask(life.findAccounts, { text })).findAccounts
      expect([text, nodes]).toEqual([text, [{ id: ada.id, email: 'countess@example.org' }]])
      expect([hasNextPage, endCursor]).toEqual([false, null])
    }
    expect(okData(await admin.ask(life.findAccounts, { text: '%' })).findAccounts.nodes).toEqual([])
  })

  test.each(['in memory', 'on SQLite'])('lists every account exactly once over its pages, %s', async (where) => {
    const bench = where === 'in memory' ? createBench() : await createAuditedBench()
    const admin = await bench.signedIn('ADMIN')
    const inserted = [admin.account.id]
    for (let one = 0; one < 7; one++) inserted.push((await bench.insert()).id)
    const found: string[] = []
    let after: string | null = null
    do {
      const { findAccounts } = okData(await admin.ask(life.findAccounts, { first: 3, after }))
      found.push(...findAccounts.nodes.map(({ id }: { id: string }) => id))
      after = findAccounts.endCursor
      expect(findAccounts.hasNextPage).toBe(after !== null)
    } while (after !== null)
    expect(found.sort()).toEqual(inserted.sort())
    expect(okData(await admin.ask(life.findAccounts, { first: 0 })).findAccounts).toEqual({
      nodes: [],
      endCursor: null,
      hasNextPage: false,
    })
  })

  const cursorOf = (text: string) => encodeBase64url(new TextEncoder().encode(text))

  test.each(['LOVE!', '', cursorOf('a\0b'), cursorOf('x'.repeat(600))])(
    'refuses a cursor that it has not given: %j',
    async (after) => {
      const bench = await createAuditedBench()
      const admin = await bench.signedIn('ADMIN')
      const refused = await admin.ask(life.findAccounts, { after })
      expect([...outcomeOf(refused), refused.errors[0]?.extensions.field]).toEqual([200, 'BAD_USER_INPUT', 'after'])
    },
  )
})

describe.each(deliveries)('an account that is signed in by %s', (delivery) => {
  test('is signed out everywhere when it is locked, gets a mail, and can sign in once it is unlocked', async () => {
    const bench = createBench({ options })
    const [admin, reader] = [await bench.signedIn('ADMIN'), await bench.signedIn('READER', delivery)]
    const { id, email } = reader.account
    expect((await admin.ask(life.lockAccount, { id })).data).toEqual({ lockAccount: { id } })
    expect(outcomeOf(await reader.ask(viewer))).toEqual([401, 'UNAUTHENTICATED'])
    if (delivery !== 'SESSION') {
      expect(outcomeOf(await refreshBy(delivery, reader))).toEqual([401, 'UNAUTHENTICATED'])
    }
    const refused = await bench.visitor().signIn(email, password)
    const unknown = await bench.visitor().signIn('nobody@example.com', password)
    expect([refused.status, refused.text]).toEqual([401, unknown.text])
    await expect.poll(() => bench.outbox.map(({ to, kind }) => [to, kind])).toContainEqual([email, 'account-locked'])
    expect((await admin.ask(life.unlockAccount, { id })).data).toEqual({ unlockAccount: { id } })
    expect(outcomeOf(await reader.ask(viewer))).toEqual([401, 'UNAUTHENTICATED'])
    expect((await bench.visitor().signIn(email, password)).status).toBe(200)
    const said = bench.events.filter(({ type }) => /^account\./.test(type))
    expect(said).toMatchObject([
      { type: 'account.locked', accountId: id },
      { type: 'account.unlocked', accountId: id },
    ])
  })

  test('can sign in again after an administrator has revoked its sessions', async () => {
    const bench = createBench({ options })
    const [admin, reader] = [await bench.signedIn('ADMIN'), await bench.signedIn('READER', delivery)]
    await bench.visitor().signIn(reader.account.email, password)
    expect((await admin.ask(life.endSessions, { id: reader.account.id })).data).toEqual({ endSessions: 2 })
    expect(outcomeOf(await reader.ask(viewer))).toEqual([401, 'UNAUTHENTICATED'])
    expect((await bench.visitor().signIn(reader.account.email, password)).status).toBe(200)
    expect((await admin.ask(viewer)).status).toBe(200)
  })
})

describe('an administrator', () => {
  test('does not lock itself', async () => {
    const bench = createBench()
    const admin = await bench.signedIn('ADMIN')
    await bench.insert({ roles: ['ADMIN'] })
    const refused = await admin.ask(life.lockAccount, { id: admin.account.id })
    expect(outcomeOf(refused)).toEqual([200, 'BAD_USER_INPUT'])
    expect(refused.errors[0]?.message).toBe('You cannot close the account you are signed in to.')
    expect((await admin.ask(viewer)).status).toBe(200)
  })

  test.each(['setRole', 'deleteAccount'] as const)('is kept if it is the last: %s', async (operation) => {
    const bench = createBench({ options: { accounts: { deletion: { onDelete: () => {} } } } })
    const admin = await bench.signedIn('ADMIN')
    await bench.insert({ roles: ['ADMIN'], status: 'locked' })
    await bench.insert({ roles: ['AUTHOR'] })
    const { id } = admin.account
    const refused = await admin.ask(life[operation], { id, input: { confirm: true } })
    expect(outcomeOf(refused)).toEqual([200, 'BAD_USER_INPUT'])
    expect(refused.errors[0]?.message).toBe('At least one administrator must remain.')
    expect(await bench.stores.accounts.get(id)).toEqual({ ...admin.account, epoch: 0 })
    await bench.insert({ roles: ['ADMIN'] })
    expect(outcomeOf(await admin.ask(life[operation], { id, input: { confirm: true } }))).toEqual([200, null])
  })

  test('remains if two administrators lock one another at the same moment', async () => {
    for (let round = 0; round < 10; round++) {
      const bench = createBench()
      const [one, other] = [await bench.signedIn('ADMIN'), await bench.signedIn('ADMIN')]
      await Promise.all([
        one.ask(life.lockAccount, { id: other.account.id }),
        other.ask(life.lockAccount, { id: one.account.id }),
      ])
      const left = await Promise.all([one, other].map(({ account }) => bench.stores.accounts.get(account.id)))
      expect(left.map((account) => account?.status)).toContain('active')
    }
  })
})

const administering = ['findAccounts', 'lockAccount', 'unlockAccount', 'endSessions'] as const

describe.each(administering)('%s', (operation) => {
  test('needs its permission, and changes no account without it', async () => {
    const bench = createBench()
    const target = await bench.signedIn()
    const before = await bench.stores.accounts.get(target.account.id)
    const asked = { id: target.account.id }
    expect(outcomeOf(await bench.visitor().ask(life[operation], asked))).toEqual([401, 'UNAUTHENTICATED'])
    for (const role of ['READER', 'AUTHOR'] as const) {
      const visitor = await bench.signedIn(role)
      expect(outcomeOf(await visitor.ask(life[operation], asked))).toEqual([403, 'FORBIDDEN'])
    }
    expect(await bench.stores.accounts.get(target.account.id)).toEqual(before)
    expect((await target.ask(viewer)).status).toBe(200)
  })
})

const changing = ['setRole', 'lockAccount', 'unlockAccount', 'endSessions'] as const

test.each(changing)('%s refuses a client, even with every scope of an administrator', async (operation) => {
  const bench = createBench()
  const admin = await bench.signedIn('ADMIN')
  const { id } = await bench.insert({ roles: ['AUTHOR'], status: operation === 'unlockAccount' ? 'locked' : 'active' })
  const before = await bench.stores.accounts.get(id)
  const scopes = ['openid', ...policy.permissions]
  const { accessToken } = await openGrant(bench, admin.account, { clientId: 'demo-spa', scopes })
  const client = Object.assign(bench.visitor(), { bearer: accessToken })
  expect(outcomeOf(await client.ask(life.findAccounts))).toEqual([200, null])
  expect(outcomeOf(await client.ask(life[operation], { id }))).toEqual([403, 'FORBIDDEN'])
  expect(await bench.stores.accounts.get(id)).toEqual(before)
  expect(outcomeOf(await admin.ask(life[operation], { id }))).toEqual([200, null])
})

test('locking, unlocking and revoking answer NOT_FOUND for an unknown account, and keep a state that is already set', async () => {
  const bench = createBench()
  const admin = await bench.signedIn('ADMIN')
  for (const operation of ['lockAccount', 'unlockAccount', 'endSessions'] as const) {
    expect(outcomeOf(await admin.ask(life[operation], { id: 'acc_nobody' }))).toEqual([200, 'NOT_FOUND'])
  }
  const locked = await bench.insert({ status: 'locked' })
  const disabled = await bench.insert({ status: 'disabled' })
  okData(await admin.ask(life.lockAccount, { id: locked.id }))
  okData(await admin.ask(life.unlockAccount, { id: disabled.id }))
  expect((await bench.stores.accounts.get(locked.id))?.status).toBe('locked')
  expect((await bench.stores.accounts.get(disabled.id))?.status).toBe('disabled')
})

test('the audit log names the administrator of each decision, and the owner of own decisions', async () => {
  const bench = await createAuditedBench({ accounts: { deletion: { onDelete: () => {} } } })
  const [admin, reader] = [await bench.signedIn('ADMIN'), await bench.signedIn()]
  const [{ id: actorId }, { id: accountId, email }] = [admin.account, reader.account]
  okData(await admin.ask(life.endSessions, { id: accountId }))
  okData(await admin.ask(life.lockAccount, { id: accountId }))
  okData(await admin.ask(life.unlockAccount, { id: accountId }))
  await reader.signIn(email, password)
  okData(await reader.ask(life.requestEmailChange, { input: { newEmail: 'ada@example.org' } }))
  const confirm = await bench.mailedToken('ada@example.org')
  const undo = await bench.mailedToken(email)
  okData(await bench.visitor().ask(life.confirmEmailChange, { input: { token: confirm } }))
  okData(await reader.ask(life.deleteAccount, { input: { confirm: true } }))
  expect(outcomeOf(await bench.visitor().ask(life.undoEmailChange, { input: { token: undo } }))[1]).toBe(
    'BAD_USER_INPUT',
  )
  const { nodes } = okData(await askEntries(admin, { accountId })).auditEntries
  const said = nodes.map(({ kind, state, actorId: by }: Record<string, string>) => [kind, state, by]).reverse()
  expect(said.filter(([kind]: string[]) => !kind?.startsWith('session.'))).toEqual([
    ['sessions.ended', 'done', actorId],
    ['account.locked', 'done', actorId],
    ['account.unlocked', 'done', actorId],
    ['email-change.requested', 'done', accountId],
    ['email-change.confirmed', 'done', accountId],
    ['account.deleted', 'done', accountId],
  ])
})
