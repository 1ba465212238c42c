import { allowNativeDelivery } from '@latchkey/accounts'
import { AccessError } from '@latchkey/graphql'
import { describe, expect, test, vi } from 'vitest'
import { type BenchOptions, createBench, password } from '../support/bench.ts'
import { copyOf, deliveries, newCookies, outcomeOf, refreshBy } from '../support/visitor.ts'
import { life } from './operations.ts'

const createLifeBench = (options: BenchOptions['options'] = {}) =>
  createBench({ options: { ...options, accounts: { deletion: { onDelete: () => {} }, ...options.accounts } } })

describe('changeName', () => {
  test('trims and changes the name of the account, and keeps its sessions', async () => {
    const bench = createLifeBench()
    const reader = await bench.signedIn()
    const { id } = reader.account
    expect((await reader.ask(life.changeName, { input: { name: ' Ada Lovelace ' } })).data).toEqual({
      changeName: { id, name: 'Ada Lovelace' },
    })
    expect((await reader.ask('{ viewer { name } }')).data.viewer).toEqual({ name: 'Ada Lovelace' })
    expect(bench.events.at(-1)).toMatchObject({ type: 'name.changed', accountId: id, channel: 'native' })
  })

  test('is refused without a sign-in', async () => {
    const answer = await createLifeBench()
      .visitor()
      .ask(life.changeName, { input: { name: 'Ada' } })
    expect(outcomeOf(answer)).toEqual([401, 'UNAUTHENTICATED'])
  })

  test.each(['', 'a\u202eb', 'x'.repeat(10_000)])('refuses %j, and the name stays', async (name) => {
    const bench = createLifeBench()
    const reader = await bench.signedIn()
    const refused = await reader.ask(life.changeName, { input: { name } })
    expect([...outcomeOf(refused), refused.errors[0]?.extensions.field]).toEqual([200, 'BAD_USER_INPUT', 'input.name'])
    expect((await bench.stores.accounts.get(reader.account.id))?.name).toBe('A Reader')
  })
})

describe('exportAccount', () => {
  test('answers the data of the account alone, and no secret', async () => {
    const application = vi.fn(() => ({ notes: ['mine'] }))
    const bench = createLifeBench({ accounts: { dataExport: { application } } })
    const [reader, other] = [await bench.signedIn(), await bench.signedIn()]
    const answer = await reader.ask(life.exportAccount)
    const exported = JSON.parse(answer.data.exportAccount)
    const { id, email, name, roles, status } = reader.account
    expect(exported.account).toEqual({ id, email, name, roles, status })
    expect(exported).toMatchObject({ sessions: [{ kind: 'session' }], factors: [], application: { notes: ['mine'] } })
    expect(application).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ id }))
    for (const secret of [other.account.id, reader.account.passwordHash ?? '', ...reader.jar.values()]) {
      expect(answer.text).not.toContain(secret)
    }
  })

  test("lists decisions about the account, without addresses of other people's decisions", async () => {
    const bench = createLifeBench()
    const [admin, reader] = [await bench.signedIn('ADMIN'), await bench.signedIn()]
    Object.assign(reader, { headers: { 'user-agent': 'the browser of the reader' } })
    Object.assign(admin, { headers: { 'user-agent': 'the browser of an administrator' } })
    await reader.signIn(reader.account.email, password)
    await admin.ask(life.lockAccount, { id: reader.account.id })
    await admin.ask(life.unlockAccount, { id: reader.account.id })
    await reader.signIn(reader.account.email, password)
    const { auditEntries } = JSON.parse((await reader.ask(life.exportAccount)).data.exportAccount)
    expect(auditEntries.map(({ kind }: { kind: string }) => kind)).toEqual(
      expect.arrayContaining(['session.created', 'account.locked', 'account.unlocked']),
    )
    const text = JSON.stringify(auditEntries)
    expect(text).toContain('the browser of the reader')
    expect(text).not.toContain('the browser of an administrator')
    expect(text).not.toContain(admin.account.id)
  })
})

describe.each(deliveries)('deleteAccount, by %s,', (delivery) => {
  const open = async (options: BenchOptions['options'] = {}) => {
    const bench = createLifeBench({
      ...options,
      sessions: { ...options.sessions, nativeDelivery: allowNativeDelivery },
    })
    return { bench, reader: await bench.signedIn('READER', delivery) }
  }

  test('deletes the account and its sessions, clears its cookies, and mails its owner', async () => {
    const onDelete = vi.fn()
    const { bench, reader } = await open({ accounts: { deletion: { onDelete } } })
    const { id, email } = reader.account
    const elsewhere = bench.visitor()
    await elsewhere.signIn(email, password)
    const before = copyOf(reader, bench.visitor())
    const answer = await reader.ask(life.deleteAccount, { input: { confirm: true } })
    expect([answer.status, answer.data, newCookies(answer)]).toEqual([200, { deleteAccount: true }, []])
    const cleared = answer.cookies.map((line) => line.split('=')[0])
    const isCookie = delivery === 'SESSION'
    expect(cleared).toEqual([...(isCookie ? ['__Host-session'] : []), '__Host-refresh', '__Host-remembered'])
    expect(onDelete).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ id, email }))
    expect(await bench.stores.accounts.get(id)).toBeNull()
    for (const visitor of [before, elsewhere]) {
      expect(outcomeOf(await visitor.ask('{ viewer { id } }'))).toEqual([401, 'UNAUTHENTICATED'])
    }
    if (!isCookie) expect(outcomeOf(await refreshBy(delivery, before))).toEqual([401, 'UNAUTHENTICATED'])
    expect(outcomeOf(await bench.visitor().signIn(email, password))).toEqual([401, 'INVALID_CREDENTIALS'])
    await expect.poll(() => bench.outbox.map(({ kind }) => kind)).toContain('account-deleted')
    expect(bench.events.map(({ type }) => type)).toContain('account.deleted')
  })

  test('is refused without confirm or if onDelete throws, and the owner stays signed in', async () => {
    const onDelete = vi.fn(() => {
      throw new AccessError('BAD_USER_INPUT', { message: 'There is an open invoice.' })
    })
    const { bench, reader } = await open({ accounts: { deletion: { onDelete } } })
    const unconfirmed = await reader.ask(life.deleteAccount, { input: { confirm: false } })
    expect([...outcomeOf(unconfirmed), unconfirmed.errors[0]?.extensions.field]).toEqual([
      200,
      'BAD_USER_INPUT',
      'input.confirm',
    ])
    expect(onDelete).not.toHaveBeenCalled()
    const refused = await reader.ask(life.deleteAccount, { input: { confirm: true } })
    expect([refused.errors[0]?.message, refused.cookies]).toEqual(['There is an open invoice.', []])
    expect((await reader.ask('{ viewer { id } }')).data.viewer.id).toBe(reader.account.id)
    expect(await bench.stores.accounts.get(reader.account.id)).not.toBeNull()
  })
})

test('a refresh during a deletion returns no valid credential', async () => {
  for (let round = 0; round < 10; round++) {
    const bench = createLifeBench()
    const [tokens, session] = [await bench.signedIn('READER', 'TOKEN'), bench.visitor()]
    await session.signIn(tokens.account.email, password)
    const [refreshed, deleted] = await Promise.all([
      refreshBy('TOKEN', tokens),
      session.ask(life.deleteAccount, { input: { confirm: true } }),
    ])
    expect(deleted.data).toEqual({ deleteAccount: true })
    tokens.bearer = refreshed.data?.refresh.accessToken ?? null
    expect(outcomeOf(await tokens.ask('{ viewer { id } }'))).toEqual([401, 'UNAUTHENTICATED'])
    expect(outcomeOf(await refreshBy('TOKEN', tokens))).toEqual([401, 'UNAUTHENTICATED'])
  }
})

test('a session of a removed account is refused as signed out by every operation', async () => {
  const bench = createLifeBench()
  const reader = await bench.signedIn()
  await bench.stores.accounts.remove(reader.account.id)
  for (const query of [life.exportAccount, 'mutation { changeName(input: { name: "Ada" }) { id } }']) {
    expect(outcomeOf(await reader.ask(query))).toEqual([401, 'UNAUTHENTICATED'])
  }
})
