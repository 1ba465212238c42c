import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createKeyRing, generateJwtKey } from '@latchkey/jwt'
import { createAuthorizationServer } from '@latchkey/oauth/server'
import { createRefreshTokens } from '@latchkey/sessions'
import { createSqliteStores } from '@latchkey/sql'
import { storedVersion } from '@latchkey/store/internal'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createCommandProject } from '../support/run-latchkey.ts'

// Where others use the machine too, a process takes many times as long as alone.
vi.setConfig({ testTimeout: 240_000 })

const project = createCommandProject()
const { folder, latchkey, write } = project

const serverFile = (stores: string, more = '') => `
import { DatabaseSync } from 'node:sqlite'
import { definePolicy } from '@latchkey/rbac'
import { createServer, createTerminalMailer, type Server } from '@latchkey/server'
import { createFileSecrets } from '@latchkey/server/node'
import { createAuthorizationServer } from '@latchkey/oauth/server'
import { createSqliteStores } from '@latchkey/sql'
const sqlite = createSqliteStores({ database: () => new DatabaseSync('app.db') })
export const server: Server = createServer({
  baseUrl: 'http://127.0.0.1:4000',
  mails: { mailer: createTerminalMailer() },
  secrets: createFileSecrets({ path: 'secret' }),
  stores: ${stores},
  signUp: 'closed',
  policy: definePolicy({
    permissions: ['notes:read', 'notes:erase'],
    scopes: { reading: ['notes:read'] },
    roles: { READER: { permissions: ['notes:read'] } },
  }),
  typeDefs: 'type Query { note: String! @public }',
  resolvers: {},
  ${more}
})`

const withClientsInCode = `
  oauth: (parts) =>
    createAuthorizationServer({
      ...parts,
      scopes: ['notes:read'],
      fixedClients: [{ id: 'in-code', name: 'Code', authentication: ['none'], redirectUris: ['https://code.example.com/'], scopes: ['openid'] }],
    }),`

beforeAll(async () => {
  write('server.ts', serverFile('sqlite'))
  write('memory.ts', serverFile("createSqliteStores({ database: () => new DatabaseSync(':memory:') })"))
  write('provider.ts', serverFile('sqlite', withClientsInCode))
  write('package.json', '{ "type": "module", "latchkey": { "server": "server.ts" } }')
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  write('public.jwks.json', JSON.stringify({ keys: [pair.publicKey.export({ format: 'jwk' })] }))
  write('private.jwks.json', JSON.stringify({ keys: [pair.privateKey.export({ format: 'jwk' })] }))
  write('broken.jwks.json', '{')
  const { exitCode, stderr } = await latchkey(['migrate', 'server.ts'])
  if (exitCode !== 0) throw new Error(stderr)
}, 240_000)

afterAll(project.remove)

const run = (line: string) => latchkey(line.split(' '))

const web = 'clients create --name Web --auth client_secret_basic --redirect-uri https://web.example.com/cb'
const machine = 'clients create --name Machine --auth client_secret_post --scope notes:read'

/** What the database has of a table, as text: to be searched. */
function readTable(name: 'latchkey_documents' | 'latchkey_audit'): string {
  const database = new DatabaseSync(join(folder, 'app.db'), { readOnly: true })
  const rows = database.prepare(`select * from ${name}`).all()
  database.close()
  return JSON.stringify(rows)
}

/** The registered clients: a service that opens may store keys beside them. */
function readClients(): string {
  const documents = JSON.parse(readTable('latchkey_documents')) as readonly { readonly collection: string }[]
  return JSON.stringify(documents.filter(({ collection }) => collection === 'oauth-client'))
}

/** Kind and state of the rows of the audit log, but for checkpoints. */
function readDecisions(): readonly string[] {
  const database = new DatabaseSync(join(folder, 'app.db'), { readOnly: true })
  const rows = database
    .prepare("select kind, state from latchkey_audit where state <> 'checkpoint' order by rowid")
    .all()
  database.close()
  return rows.map(({ kind, state }) => `${kind} ${state}`)
}

async function create(line: string): Promise<{ readonly client_id: string; readonly client_secret?: string }> {
  const { exitCode, stdout, stderr } = await run(line)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout).toMatch(/^\{.*\}\n$/)
  return JSON.parse(stdout)
}

/** Asks an authorization server on the same database for a token. */
async function requestToken(form: Readonly<Record<string, string>>) {
  const stores = createSqliteStores({ database: () => new DatabaseSync(join(folder, 'app.db')) })
  const secrets = [{ id: 'a', bytes: new Uint8Array(32).fill(7) }] as const
  const { records, documents } = stores
  const server = createAuthorizationServer({
    issuer: 'https://id.example.com',
    ...{ records, documents, secrets },
    keys: createKeyRing({ keys: [await generateJwtKey('ES256')] }),
    refreshTokens: createRefreshTokens({ records, secrets }),
    resources: ['https://id.example.com/graphql'],
    scopes: ['notes:read'],
    claims: async () => null,
    signedIn: async () => null,
    accountState: async () => null,
    pages: { signIn: '/sign-in', consent: '/consent' },
    onEvent: () => undefined,
  })
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...form })
  const response = await server.fetch(new Request('https://id.example.com/token', { method: 'POST', body }))
  await stores.close()
  return {
    status: response.status,
    ...((await response.json()) as { readonly scope?: string; readonly error?: string }),
  }
}

test.each(['create', 'list', 'disable', 'rotate-secret'])(
  'latchkey clients %s --help prints its help',
  async (verb) => {
    const outcome = await run(`clients ${verb} absent.ts --help`)
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' })
    expect(outcome.stdout).toContain(`usage: latchkey clients ${verb} <file>`)
    expect(outcome.stdout).toContain('Exit code')
  },
)

test.each([
  ['clients', 'unknown command "clients"'],
  ['clients create', '--name is required'],
  ['clients create --name Web', '--auth is required'],
  ['clients create --name Web --auth password', '--auth is required'],
  ['clients create --name Web --auth none --jwks public.jwks.json', '--jwks and private_key_jwt belong together'],
  ['clients create --name Web --auth private_key_jwt', '--jwks and private_key_jwt belong together'],
  ['clients create --name Web --auth private_key_jwt --jwks absent.json', 'the file absent.json cannot be read'],
  ['clients create --name Web --auth none --secret x', "Unknown option '--secret'"],
  ['clients create absent.ts --name Web --auth none', 'the file absent.ts does not exist'],
  ['clients list server.ts twice', 'one file is required'],
  ['clients disable server.ts', 'and one client are required'],
  ['clients rotate-secret', 'and one client are required'],
  ['clients block server.ts', 'and one host or id are required'],
])('latchkey %s is wrong usage: exit code 2', async (line, words) => {
  const outcome = await run(line)
  expect(outcome).toMatchObject({ exitCode: 2, stdout: '' })
  expect(outcome.stderr).toContain(words)
})

test('a client is registered by one command, and its secret is not stored but gets tokens', async () => {
  const { client_id: id, client_secret: secret = '', ...rest } = await create(machine)
  expect(rest).toEqual({})
  expect(id).toMatch(/^client_[\w-]{22}$/)
  expect(secret).toMatch(/^cs_[\w-]{43}$/)
  for (const table of ['latchkey_documents', 'latchkey_audit'] as const) expect(readTable(table)).not.toContain(secret)
  expect(readTable('latchkey_audit')).toContain(id)
  expect(await requestToken({ client_id: id, client_secret: secret })).toMatchObject({
    status: 200,
    scope: 'notes:read',
  })
})

test('several redirects and scopes follow one option or several, and the file may be named', async () => {
  const redirects = '--redirect-uri https://a.example.com/cb http://127.0.0.1/cb --redirect-uri com.example.app:/cb'
  const { client_id, client_secret } = await create(
    `clients create server.ts --scope openid notes:read --name Reader --auth none --native --id reader --backchannel-logout-uri https://a.example.com/logout --id-token-signed-response-alg RS256 ${redirects}`,
  )
  expect({ client_id, client_secret }).toEqual({ client_id: 'reader', client_secret: undefined })
  await latchkey([
    'clients',
    'create',
    '--name',
    'A Reader',
    '--auth',
    'none',
    '--device',
    '--id',
    'tv',
    '--scope',
    'openid reading',
  ])
  const listed = JSON.parse((await run('clients list --json')).stdout)
  const common = {
    authentication: ['none'],
    postLogoutRedirectUris: [],
    backchannelLogoutUri: null,
    idTokenSignedResponseAlg: null,
    isDisabled: false,
    firstParty: false,
    createdAt: expect.any(Number),
  }
  expect(listed.filter(({ client_id: id }: { readonly client_id: string }) => id === 'reader' || id === 'tv')).toEqual([
    {
      ...{ client_id: 'reader', name: 'Reader', kind: 'native', ...common, scopes: ['openid', 'notes:read'] },
      grantTypes: ['authorization_code', 'refresh_token'],
      redirectUris: ['https://a.example.com/cb', 'http://127.0.0.1/cb', 'com.example.app:/cb'],
      backchannelLogoutUri: 'https://a.example.com/logout',
      idTokenSignedResponseAlg: 'RS256',
    },
    {
      ...{ client_id: 'tv', name: 'A Reader', kind: 'web', ...common, scopes: ['openid', 'reading'], redirectUris: [] },
      grantTypes: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
    },
  ])
})

test('a client of private_key_jwt has public keys and no secret', async () => {
  const line = 'clients create --name Signed --auth private_key_jwt --scope notes:read --jwks'
  expect(await create(`${line} public.jwks.json`)).toEqual({ client_id: expect.any(String) })
  for (const file of ['private.jwks.json', 'broken.jwks.json', 'package.json']) {
    const { exitCode, stdout } = await run(`${line} ${file}`)
    expect({ file, exitCode, stdout }).toEqual({ file, exitCode: 1, stdout: '' })
  }
})

const redirect = (address: string) => `clients create --name Web --auth none --redirect-uri ${address}`

test.each([
  ['a relative redirect', redirect('/callback')],
  ['a fragment', redirect('https://web.example.com/cb#x')],
  ['user info', redirect('https://ada@web.example.com/cb')],
  ['a wildcard', redirect('https://*.example.com/cb')],
  ['..', redirect('https://web.example.com/a/../cb')],
  ['an encoded dot', redirect('https://web.example.com/a/%2e%2e/cb')],
  ['http elsewhere than on loopback', redirect('http://web.example.com/cb')],
  ['a scheme without a dot', redirect('myapp:/callback')],
  ['a script', redirect('javascript:alert(1)')],
  ['the second of two redirects', redirect('https://web.example.com/cb https://web.example.com/cb#x')],
  ['a redirect after logout with a fragment', `${web} --post-logout-redirect-uri https://web.example.com/#x`],
  ['id tokens that no one signs', `${web} --id-token-signed-response-alg none`],
  ['id tokens that clients cannot verify', `${web} --id-token-signed-response-alg HS256`],
  ['a back-channel logout without TLS', `${web} --backchannel-logout-uri http://web.example.com/logout`],
  ['the id first-party', `${web} --id first-party`],
  ['an id of the form of accounts', `${web} --id acc_1`],
  ['a scope that the policy does not have', `${machine} notes:write`],
  ['a client without authentication that asks for itself', 'clients create --name Web --auth none'],
])('%s exits with 1 and a single sentence, and stores no client', async (_what, line) => {
  const before = readClients()
  const { exitCode, stdout, stderr } = await run(line)
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  expect(stderr).toMatch(/^[A-Z][^\n]*\.\n$/)
  expect(readClients()).toBe(before)
})

const ofProvider = 'clients create provider.ts --name Late --auth client_secret_post'

test.each([
  ['a scope that its authorization server does not hand out', `${ofProvider} --scope notes:erase`, 'scope'],
  ['a group that its authorization server does not know', `${ofProvider} --scope reading`, 'scope'],
  ['the id of a client in code', `${ofProvider} --scope notes:read --id in-code`, 'in code'],
])('%s is refused by a service with that authorization server, and stores no client', async (_what, line, words) => {
  const before = readClients()
  const { exitCode, stdout, stderr } = await run(line)
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  expect(stderr).toMatch(/^[A-Z][^\n]*\.\n$/)
  expect(stderr).toContain(words)
  expect(readClients()).toBe(before)
})

test('a client of a service with an authorization server has what that hands out', async () => {
  expect(await create(`${ofProvider} --scope notes:read`)).toMatchObject({ client_secret: expect.any(String) })
})

test('an id is registered once, and a second registration keeps the client', async () => {
  const { client_secret: secret = '' } = await create(`${machine} --id twice`)
  const again = await run('clients create --name Another --auth none --device --scope openid --id twice')
  expect(again).toEqual({ exitCode: 1, stdout: '', stderr: 'A client has this id.\n' })
  expect(await requestToken({ client_id: 'twice', client_secret: secret })).toMatchObject({ status: 200 })
})

test('a new secret replaces the earlier secret at once', async () => {
  const { client_secret: first = '' } = await create(`${machine} --id rotated`)
  const { client_secret: second = '', client_id } = await create('clients rotate-secret rotated')
  expect(client_id).toBe('rotated')
  expect(await requestToken({ client_id, client_secret: first })).toMatchObject({ error: 'invalid_client' })
  expect(await requestToken({ client_id, client_secret: second })).toMatchObject({ status: 200 })
  await create('clients create --name Public --auth none --device --scope openid --id public')
  expect(await run('clients rotate-secret public')).toMatchObject({ exitCode: 1, stdout: '' })
})

test('a disabled client gets no tokens, and is listed as disabled', async () => {
  const { client_secret: secret = '' } = await create(`${machine} --id ended`)
  const ended = await run('clients disable server.ts ended')
  expect(ended).toEqual({
    exitCode: 0,
    stdout: 'ended is disabled. Its tokens are refused.\n',
    stderr: '',
  })
  expect(await requestToken({ client_id: 'ended', client_secret: secret })).toMatchObject({ error: 'invalid_client' })
  expect((await run('clients list')).stdout).toMatch(/^ended +Machine +web +client_secret_post +disabled/m)
  expect(JSON.parse((await run('clients disable ended --json')).stdout)).toEqual({ client_id: 'ended' })
})

test('a host and an id are blocked once and unblocked once, with their rows in the audit log', async () => {
  const before = readDecisions().length
  for (const blocked of ['app.example.com', 'https://app.example.com/client.json']) {
    expect((await run(`clients block server.ts ${blocked}`)).stdout).toBe(
      `${blocked} is blocked. Its tokens are refused.\n`,
    )
    expect(await run(`clients block ${blocked}`)).toMatchObject({ exitCode: 1, stderr: 'It is already blocked.\n' })
    expect(JSON.parse((await run(`clients unblock ${blocked} --json`)).stdout)).toEqual({ blocked })
    expect(await run(`clients unblock ${blocked}`)).toMatchObject({ exitCode: 1, stderr: 'It is not blocked.\n' })
  }
  const decisions = [
    'client.blocked intended',
    'client.blocked done',
    'client.blocked intended',
    'client.blocked failed',
  ]
  const ofOne = [...decisions, ...decisions.map((decision) => decision.replace('.blocked', '.unblocked'))]
  expect(readDecisions().slice(before)).toEqual([...ofOne, ...ofOne])
})

test.each(['app.example.com:443', 'APP.example.com', 'app.example.com/x'])('%s cannot be blocked', async (blocked) => {
  expect(await run(`clients block server.ts ${blocked}`)).toMatchObject({ exitCode: 1, stdout: '' })
  expect(readTable('latchkey_documents')).not.toContain('metadata-client-blocks')
})

test('no list prints a secret, its digest or a key', async () => {
  const { client_secret: secret = '' } = await create(machine)
  for (const line of ['clients list', 'clients list --json']) {
    const { stdout } = await run(line)
    expect(stdout).not.toContain(secret)
    expect(stdout).not.toMatch(/secretHash|jwks|"keys"/)
  }
})

test('each change writes rows to the audit log, except if its client is unknown', async () => {
  const before = readDecisions().length
  await create(`${machine} --id audited`)
  await create('clients rotate-secret audited')
  await run('clients disable audited')
  await run('clients list')
  expect(await run('clients disable unknown')).toMatchObject({ exitCode: 1, stderr: 'The client does not exist.\n' })
  expect(await run('clients rotate-secret unknown')).toMatchObject({ exitCode: 1 })
  await run(`${machine} --id first-party`)
  expect(readDecisions().slice(before)).toEqual([
    'client.created intended',
    'client.created done',
    'client.secret-replaced intended',
    'client.secret-replaced done',
    'client.disabled intended',
    'client.disabled done',
    'client.created intended',
    'client.created failed',
  ])
})

test('a refusal because of stores in memory differs from a failure', async () => {
  expect(await run(machine.replace('create', 'create memory.ts'))).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('in memory'),
  })
})

test('clients are written in the version of the release before until it is raised', async () => {
  const database = new DatabaseSync(join(folder, 'app.db'))
  const set = database.prepare(`insert or replace into latchkey_documents (collection, id, owner, version, value)
    values ('settings', 'stored-version', null, 'w', ?)`)
  const read = database.prepare("select value from latchkey_documents where collection = 'oauth-client' and id = ?")
  const versionOf = ({ client_id }: { readonly client_id: string }) => JSON.parse(String(read.get(client_id)?.value)).v
  const older = storedVersion - 1
  set.run(JSON.stringify({ version: older }))
  try {
    const client = await create(`${machine} --id older`)
    expect(versionOf(client)).toBe(older)
    await run('clients rotate-secret older')
    expect(versionOf(client)).toBe(older)
    set.run(JSON.stringify({ version: storedVersion }))
    await run('clients disable older')
    expect(versionOf(client)).toBe(storedVersion)
  } finally {
    set.run(JSON.stringify({ version: storedVersion }))
    database.close()
  }
})

test('latchkey clients create --first-party registers a first-party client, and refuses a secret for it', async () => {
  const own = 'clients create --name App --redirect-uri https://own.example.com/cb --scope openid --first-party --auth'
  const { client_id: id } = await create(`${own} none`)
  const listed = JSON.parse((await run('clients list server.ts --json')).stdout) as readonly {
    readonly client_id: string
    readonly firstParty: boolean
  }[]
  const marked = listed.filter(({ firstParty }) => firstParty).map(({ client_id }) => client_id)
  expect(marked).toEqual([id])
  expect((await run('clients list server.ts')).stdout).toContain('web, first-party')
  const before = readClients()
  for (const line of [`${own} client_secret_basic`, `${own} none --device`]) {
    const refused = await run(line)
    expect([refused.exitCode, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toContain('A client of the service itself')
  }
  expect(readClients()).toBe(before)
})
