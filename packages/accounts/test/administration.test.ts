import { describe, expect, test } from 'vitest'
import { createBench, email, invalidCredentials, password } from './bench.ts'
import { delay } from './stores/test-stores.ts'

const made = { email: 'Admin@Example.com', password, name: ' Ada ', roles: ['EDITOR', 'AUTHOR', 'EDITOR'] }

describe('an account that an administrator creates', () => {
  test('can sign in at once, gets no mail, and its event has no address', async () => {
    const bench = createBench()
    const account = await bench.accounts.create(made)
    expect(account).toEqual({
      id: expect.stringMatching(/^acc_[\w-]{22}$/),
      email: 'admin@example.com',
      name: 'Ada',
      roles: ['EDITOR', 'AUTHOR'],
      status: 'active',
    })
    const signedIn = await bench.accounts.signIn({ email: 'admin@example.com', password, delivery: 'session' })
    expect(signedIn.ok).toBe(true)
    await bench.accounts.settled()
    expect(bench.outbox).toEqual([])
    const [event] = bench.events
    expect(event).toMatchObject({
      type: 'account.created',
      accountId: account?.id,
      roles: ['EDITOR', 'AUTHOR'],
      at: bench.now(),
    })
  })

  test('create returns null for a taken address, and its account stays unchanged', async () => {
    const bench = createBench()
    const account = await bench.insert()
    expect(await bench.accounts.create({ ...made, email: account.email })).toBeNull()
    const twice = await Promise.all([bench.accounts.create(made), bench.accounts.create(made)])
    expect(twice.filter((one) => one !== null)).toHaveLength(1)
    expect(await bench.store.get(account.id)).toEqual(account)
    expect(bench.events).toHaveLength(1)
  })

  test('a created account is not changed by an unfinished sign-up with its address', async () => {
    const bench = createBench()
    await bench.accounts.signUp({ email: made.email, password: 'seven kettles hum along', name: 'A stranger' })
    const token = await bench.mailedToken()
    const account = await bench.accounts.create(made)
    expect(await bench.accounts.verifyEmail({ token })).toEqual({ ok: false, reason: 'link-invalid' })
    expect(await bench.accounts.get(account?.id ?? '')).toEqual(account)
    expect((await bench.accounts.signIn({ email: made.email, password, delivery: 'session' })).ok).toBe(true)
  })

  test.each([
    ['EMAIL_INVALID', { email: 'admin' }],
    ['NAME_INVALID', { name: ' ' }],
    ['PASSWORD_REJECTED', { password: 'short' }],
  ])('a created account is refused with %s, and the store is unchanged', async (code, change) => {
    const bench = createBench()
    await expect(bench.accounts.create({ ...made, ...change })).rejects.toMatchObject({ code })
    expect((await bench.accounts.list()).items).toEqual([])
    expect(bench.events).toEqual([])
  })

  test.each([[['']], [['A B']], [['ADMIN', 'A B']], ['ADMIN']])(
    'a created account is refused with the roles %j, and the store is unchanged',
    async (roles) => {
      const bench = createBench()
      await expect(bench.accounts.create({ ...made, roles: roles as string[] })).rejects.toThrow(TypeError)
      expect((await bench.accounts.list()).items).toEqual([])
    },
  )
})

describe('administration', () => {
  test('setRoles sets the roles of an account and revokes its sessions', async () => {
    const bench = createBench()
    const { id } = await bench.insert({ epoch: 3 })
    const { credentials } = await bench.signIn()
    expect(await bench.accounts.setRoles({ id, roles: ['AUTHOR', 'EDITOR', 'AUTHOR'] })).toMatchObject({
      id,
      roles: ['AUTHOR', 'EDITOR'],
    })
    expect(await bench.store.get(id)).toMatchObject({ roles: ['AUTHOR', 'EDITOR'], epoch: 4 })
    if (credentials.delivery === 'session') expect(await bench.sessions.read(credentials.credential)).toBeNull()
    expect(bench.events.at(-1)).toMatchObject({
      type: 'role.changed',
      accountId: id,
      roles: ['AUTHOR', 'EDITOR'],
      at: bench.now(),
    })
  })

  test('a change to the current state leaves the account and its sessions unchanged', async () => {
    const bench = createBench()
    const { id } = await bench.insert({ epoch: 3, roles: ['READER', 'AUTHOR'] })
    await bench.signIn()
    const roles = ['READER', 'AUTHOR']
    expect(await bench.accounts.setRoles({ id, roles })).toMatchObject({ id, roles })
    expect(await bench.accounts.enable({ id })).toMatchObject({ id, status: 'active' })
    expect((await bench.store.get(id))?.epoch).toBe(3)
    expect(await bench.accounts.listSessions(id)).toHaveLength(1)
  })

  test('disable revokes the sessions of an account at once, and enable does not restore them', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const { credentials } = await bench.signIn()
    const read = async () =>
      bench.accounts.identifySession(
        await bench.sessions.read(credentials.delivery === 'session' ? credentials.credential : null),
      )
    expect(await bench.accounts.disable({ id })).toMatchObject({ id, status: 'disabled' })
    expect(await read()).toBeNull()
    expect(await bench.accounts.signIn({ email, password, delivery: 'session' })).toEqual(invalidCredentials)
    expect(await bench.accounts.disable({ id })).toMatchObject({ status: 'disabled' })
    expect(await bench.accounts.enable({ id })).toMatchObject({ id, status: 'active' })
    expect(await read()).toBeNull()
    expect((await bench.signIn()).status).toBe('signed-in')
    expect(bench.events.map(({ type }) => type)).toEqual([
      'session.created',
      'account.disabled',
      'sign-in.failed',
      'account.enabled',
      'session.created',
    ])
  })

  test('enable does not verify the address of an account that is not disabled', async () => {
    const bench = createBench()
    const { id } = await bench.insert({ status: 'unverified' })
    expect(await bench.accounts.enable({ id })).toMatchObject({ status: 'unverified' })
  })

  test('returns null for an unknown id', async () => {
    const { accounts } = createBench()
    expect(await accounts.setRoles({ id: 'acc_0', roles: ['READER'] })).toBeNull()
    expect(await accounts.disable({ id: 'acc_0' })).toBeNull()
    expect(await accounts.enable({ id: 'acc_0' })).toBeNull()
    expect(await accounts.get('acc_0')).toBeNull()
  })

  test.each([[['']], [['A B']], [['A\tB']], [['A\u0000']], [['x'.repeat(101)]], [[7]], ['READER']])(
    'setRoles refuses the roles %j, which do not fit the claim',
    async (roles) => {
      const bench = createBench()
      const account = await bench.insert()
      const setting = bench.accounts.setRoles({ id: account.id, roles: roles as string[] })
      await expect(setting).rejects.toThrow(
        new TypeError('"roles": a role is a text of 1 to 100 characters without white space'),
      )
      expect(await bench.store.get(account.id)).toEqual(account)
    },
  )

  test('loses none of several changes at the same time', async () => {
    const bench = createBench({ aroundAccounts: delay, aroundRecords: delay })
    const { id } = await bench.insert()
    await Promise.all([
      bench.accounts.setRoles({ id, roles: ['AUTHOR'] }),
      bench.accounts.disable({ id }),
      bench.accounts.revokeAllSessions({ identity: { subject: id }, exceptCurrent: false }),
    ])
    expect(await bench.store.get(id)).toMatchObject({ roles: ['AUTHOR'], status: 'disabled', epoch: 3 })
  })

  test('rejects for an account that keeps changing', async () => {
    const bench = createBench({ aroundAccounts: async (method, run) => (method === 'replace' ? false : run()) })
    const { id } = await bench.insert()
    await expect(bench.accounts.disable({ id })).rejects.toThrow('kept changing')
  })

  test('shows accounts without hash and epoch, one by one and page by page', async () => {
    const bench = createBench()
    const first = await bench.insert()
    const second = await bench.insert({ email: 'other@example.com' })
    const shown = { id: first.id, email, name: 'A Reader', roles: ['READER'], status: 'active' }
    expect(await bench.accounts.get(first.id)).toEqual(shown)
    const page = await bench.accounts.list({ limit: 1 })
    expect(page.items).toEqual([shown])
    const rest = await bench.accounts.list({ limit: 1, cursor: page.cursor! })
    expect(rest.items.map(({ id }) => id)).toEqual([second.id])
    expect(rest.cursor).toBeUndefined()
  })
})
