import { definePolicy, RbacError } from '@latchkey/rbac'
import { createServer, type Server, type ServerEvent } from '@latchkey/server'
import { createTestServer } from '@latchkey/server/testing'
import { createMemoryDocumentStore, type DocumentStore, StoreError } from '@latchkey/store'
import { afterEach, describe, expect, test } from 'vitest'
import { createMemoryStores, password, passwords } from '../support/bench.ts'
import { createVisitor, outcomeOf, type Visitor } from '../support/visitor.ts'

const definePolicyOfNotes = () =>
  definePolicy({
    permissions: ['notes:read', 'notes:write', 'roles:update', 'accounts:read', 'accounts:update'],
    roles: {
      READER: { permissions: ['notes:read'] },
      ADMIN: { permissions: ['roles:update', 'accounts:read', 'accounts:update'] },
    },
  })

const typeDefs = /* GraphQL */ `
  type Query { note: String! @requires(permissions: "notes:read") }
  type Mutation {
    writeNote: Boolean! @requires(permissions: "notes:write")
    setRoleOf(name: String!, permissions: [String!]!): Boolean! @requires(permissions: "roles:update")
    removeRole(name: String!): Boolean! @requires(permissions: "roles:update")
  }`

const opened: Server[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()))
})

interface Parts {
  readonly store?: DocumentStore
  readonly stores?: ReturnType<typeof createMemoryStores>
  readonly maxStalenessSeconds?: number
  readonly events?: ServerEvent[]
}

/** Another process: its policy is an object of its own. */
function serverOf({
  store = createMemoryDocumentStore(),
  stores = createMemoryStores(),
  events = [],
  ...roles
}: Parts = {}): Server {
  const server = createServer<ReturnType<typeof definePolicyOfNotes>>({
    baseUrl: 'https://example.com',
    mails: { mailer: { send: async () => undefined } },
    secrets: { load: async () => [{ id: 'a', bytes: new Uint8Array(32).fill(7) }] },
    stores: { ...stores, documents: store },
    accounts: { changingRoles: roles },
    signUp: { role: 'READER' },
    signIn: { passwordHasher: passwords },
    observe: { onEvent: (event) => void events.push(event) },
    policy: definePolicyOfNotes(),
    typeDefs,
    resolvers: {
      Query: { note: () => 'A note' },
      Mutation: {
        writeNote: () => true,
        async setRoleOf(_source, { name, permissions }: { name: string; permissions: ['notes:write'] }, { roles }) {
          await roles?.set(name, { permissions })
          return true
        },
        removeRole: (_source, { name }: { name: string }, { roles }) => roles?.remove(name),
      },
    },
  })
  opened.push(server)
  return server
}

/** A document store that fails on demand. */
function createFailingStore() {
  const inner = createMemoryDocumentStore()
  const state = { error: null as Error | null, reads: 0 }
  const guard = () => {
    if (state.error) throw state.error
  }
  const store: DocumentStore = {
    ...inner,
    async get(collection, id) {
      state.reads++
      guard()
      return inner.get(collection, id)
    },
    async insert(document) {
      guard()
      return inner.insert(document)
    },
    async replace(current, next) {
      guard()
      return inner.replace(current, next)
    },
  }
  return { store, state, inner }
}

let written = 0

/** Stores roles as another version of the program would. */
async function writeRoles(documents: DocumentStore, revision: number, roles: object): Promise<void> {
  const id = { collection: 'roles', id: 'current' }
  await documents.remove(id)
  const value = JSON.stringify({ v: 1, revision, roles })
  await documents.insert({ ...id, owner: null, version: `w${++written}`, value })
}

let drawn = 0
async function signIn(server: Server, roles: readonly string[]): Promise<Visitor & { readonly id: string }> {
  const id = `acc_${++drawn}`
  const email = `${id}@example.com`
  const passwordHash = await passwords.hash(password)
  await server.stores.accounts.insert({ id, email, name: 'N', roles, status: 'active', passwordHash, epoch: 0 })
  const visitor = createVisitor(server)
  expect((await visitor.signIn(email, password)).status).toBe(200)
  return Object.assign(visitor, { id })
}

const write = 'mutation { writeNote }'
const setRoleOf = (name: string, permission: string) =>
  `mutation { setRoleOf(name: "${name}", permissions: ["${permission}"]) }`

describe('roles that change while a service runs', () => {
  test('take effect with the next request, for sessions that are already open', async () => {
    const server = serverOf()
    const [admin, writer] = [await signIn(server, ['ADMIN']), await signIn(server, ['WRITER'])]
    expect(outcomeOf(await writer.ask(write))).toEqual([403, 'FORBIDDEN'])
    expect((await admin.ask(setRoleOf('WRITER', 'notes:write'))).data).toEqual({ setRoleOf: true })
    expect((await writer.ask(write)).data).toEqual({ writeNote: true })
    expect((await writer.ask('{ viewer { role } }')).data).toEqual({ viewer: { role: 'WRITER' } })
    expect((await admin.ask('mutation { removeRole(name: "WRITER") }')).data).toEqual({ removeRole: true })
    expect(outcomeOf(await writer.ask(write))).toEqual([403, 'FORBIDDEN'])
  })

  test('take effect at once in another process too, for cookies, for tokens and for roles of the code', async () => {
    const [store, stores] = [createMemoryDocumentStore(), createMemoryStores()]
    const [here, there] = [serverOf({ store, stores }), serverOf({ store, stores })]
    const [admin, reader] = [await signIn(here, ['ADMIN']), await signIn(there, ['READER'])]
    const byToken = createVisitor(there)
    await byToken.signIn(`${reader.id}@example.com`, password, 'TOKEN')
    for (const visitor of [reader, byToken]) expect((await visitor.ask('{ note }')).status).toBe(200)
    await admin.ask(setRoleOf('READER', 'notes:write'))
    for (const visitor of [reader, byToken]) {
      expect(outcomeOf(await visitor.ask('{ note }'))).toEqual([403, 'FORBIDDEN'])
      expect((await visitor.ask(write)).data).toEqual({ writeNote: true })
    }
  })

  test('are read at most once per maxStalenessSeconds', async () => {
    const { store, state } = createFailingStore()
    const reader = await signIn(serverOf({ store, maxStalenessSeconds: 3600 }), ['READER'])
    const before = state.reads
    for (let request = 0; request < 3; request++) await reader.ask('{ note }')
    expect(state.reads).toBe(before)
  })

  test('can be assigned while they are defined, and unknown names are refused', async () => {
    const server = serverOf()
    const [admin, member] = [await signIn(server, ['ADMIN']), await signIn(server, ['READER'])]
    const setRole = (role: string) =>
      admin.ask('mutation ($input: SetRoleInput!) { setRole(input: $input) { role } }', {
        input: { accountId: member.id, role },
      })
    expect(await setRole('WRITER')).toMatchObject({
      status: 200,
      codes: ['BAD_USER_INPUT'],
      errors: [{ extensions: { field: 'input.role' } }],
    })
    expect((await server.stores.accounts.get(member.id))?.roles).toEqual(['READER'])
    await admin.ask(setRoleOf('WRITER', 'notes:write'))
    expect((await setRole('WRITER')).data).toEqual({ setRole: { role: 'WRITER' } })
    await member.signIn(`${member.id}@example.com`, password)
    expect((await member.ask(write)).data).toEqual({ writeNote: true })
    expect((await setRole('constructor')).codes).toEqual(['BAD_USER_INPUT'])
  })

  test('are refused if they cannot be used, and the earlier roles stay', async () => {
    const events: ServerEvent[] = []
    const { store, inner } = createFailingStore()
    const server = serverOf({ store, events })
    const [admin, reader] = [await signIn(server, ['ADMIN']), await signIn(server, ['READER'])]
    const refused = await admin.ask(setRoleOf('READER', 'notes:burn'))
    expect(outcomeOf(refused)).toEqual([200, 'BAD_USER_INPUT'])
    expect(refused.text).not.toContain('burn')
    expect(await inner.get('roles', 'current')).toBeNull()
    // Another version of the program knows more permissions.
    await writeRoles(inner, 1, { READER: { permissions: ['notes:burn'] } })
    for (let request = 0; request < 2; request++) expect((await reader.ask('{ note }')).status).toBe(200)
    const failures = events.filter(({ type }) => type === 'service.failed')
    expect(failures).toMatchObject([{ during: 'roles', cause: expect.any(RbacError) }])
    expect(JSON.stringify(failures)).not.toContain('burn')
  })

  test('are a 503 if their store does not answer, and sessions stay valid', async () => {
    const { store, state } = createFailingStore()
    const server = serverOf({ store })
    const [reader, stranger] = [await signIn(server, ['READER']), createVisitor(server)]
    const byToken = createVisitor(server)
    await byToken.signIn(`${reader.id}@example.com`, password, 'TOKEN')
    state.error = new StoreError('STORE_UNAVAILABLE', '10.0.0.9 is down')
    for (const visitor of [reader, byToken]) {
      const failed = await visitor.ask('{ note }')
      expect([...outcomeOf(failed), failed.cookies]).toEqual([503, 'SERVICE_UNAVAILABLE', []])
      expect(Number(failed.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(failed.text).not.toContain('10.0.0.9')
    }
    const signIns = await stranger.signIn(`${reader.id}@example.com`, password)
    expect([...outcomeOf(signIns), signIns.cookies]).toEqual([503, 'SERVICE_UNAVAILABLE', []])
    expect((await reader.get('/readyz')).status).toBe(503)
    state.error = null
    for (const visitor of [reader, byToken]) expect((await visitor.ask('{ note }')).status).toBe(200)
    await expect.poll(async () => (await reader.get('/readyz')).status).toBe(200)
  })

  test('must be readable when a service opens', async () => {
    const { store, state, inner } = createFailingStore()
    const server = serverOf({ store })
    state.error = new StoreError('STORE_UNAVAILABLE', 'down')
    await expect(server.open()).rejects.toBe(state.error)
    expect(outcomeOf(await createVisitor(server).ask('{ note }'))).toEqual([503, 'SERVICE_UNAVAILABLE'])
    state.error = null
    await writeRoles(inner, 1, { READER: { permissions: ['notes:burn'] } })
    await expect(server.open()).rejects.toMatchObject({ code: 'RBAC_ROLES_INVALID' })
    await writeRoles(inner, 2, {})
    await server.open()
  })

  test('are replaced in a test server', async () => {
    const { store, state } = createFailingStore()
    state.error = new Error('the real store was touched')
    const { signedIn, roles, close } = await createTestServer(serverOf({ store }))
    await roles?.set('WRITER', { permissions: ['notes:write'] })
    const writer = await signedIn({ role: 'WRITER' })
    expect((await writer.graphql(write)).data).toEqual({ writeNote: true })
    await roles?.remove('WRITER')
    expect((await writer.graphql(write)).status).toBe(403)
    await close()
    expect(state.reads).toBe(0)
  })
})

describe('without changingRoles', () => {
  const required = () => ({
    baseUrl: 'https://example.com',
    mails: { mailer: { send: async () => undefined } },
    secrets: { load: async () => [{ id: 'a', bytes: new Uint8Array(32) }] as const },
    stores: createMemoryStores(),
    signUp: 'closed' as const,
    policy: definePolicyOfNotes(),
    typeDefs: 'type Query { hello: String @public }',
    resolvers: {},
  })

  test('roles come from the policy as an enum', async () => {
    const { roles } = await createTestServer(createServer(required()))
    expect(roles).toBeNull()
  })

  test.each([
    ['"stores.documents" is required', {}, { documents: undefined }],
    ['"accounts.changingRoles.maxStalenessSeconds" must be', { maxStalenessSeconds: -1 }],
    ['"accounts.changingRoles.maxStalenessSeconds" must be', { maxStalenessSeconds: Number.NaN }],
    ['createServer has no option "accounts.changingRoles.store"', { store: createMemoryDocumentStore() }],
    ['"accounts.changingRoles" takes an object', null],
    ['"accounts.changingRoles" takes an object', 'WRITER'],
  ])('a server is refused: %s', (message, roles, own: object = {}) => {
    const { stores, ...others } = required()
    const create = () =>
      createServer({
        ...others,
        stores: { ...stores, ...(own as object) },
        accounts: { changingRoles: roles as never },
      })
    expect(create).toThrow(message)
    expect(create).toThrow(TypeError)
  })
})
