import { createHmac, createSecretKey } from 'node:crypto'
import { compileAccess, createGraphqlHandler } from '@latchkey/graphql'
import { createSessionCookie, readBearer } from '@latchkey/http'
import { createJwtVerifier, createKeyRing, importJwtKey } from '@latchkey/jwt'
import { describeHash } from '@latchkey/password'
import fc from 'fast-check'
import { buildSchema } from 'graphql'
import { expect, test, vi } from 'vitest'
import { policy } from '../support/bench.ts'
import { fuzz, fuzzTimeoutMs, mutated } from '../support/fuzzing.ts'
import { cookieHeaders, documents, jsonBodies } from '../support/hostile-grammars.ts'

vi.setConfig({ testTimeout: fuzzTimeoutMs })

test('any cookie header is parsed to a credential or null', async () => {
  const cookie = createSessionCookie()
  const judge = (header: string) => {
    const credential = cookie.read(header)
    if (credential !== null) expect(header).toContain(credential)
    if (credential !== null) expect(credential).toMatch(/^[!#-+\--:<-[\]-~]+$/)
    return cookie.isSent(header)
  }
  await fuzz({ inputs: cookieHeaders(cookie.name), judge, deep: 0.5 })
})

test('any authorization header is parsed to a token or null', async () => {
  const valid = ['Bearer abc.def-ghi_jkl~+/==', `bearer ${'a'.repeat(300)}`, 'BEARER  a', 'Basic YTpi', 'DPoP x.y.z']
  const judge = (header: string) => {
    const token = readBearer(header)
    if (token !== null) expect(header.endsWith(token)).toBe(true)
    return token !== null
  }
  const pieces = [' ', ',', '=', 'Bearer ', '\t', '\0', '"', 'ſ', '\r\n']
  await fuzz({ inputs: mutated(valid, pieces), judge, deep: 0.2 })
})

test('any stored hash is described or unknown', async () => {
  const [salt, hash] = [Buffer.alloc(16, 7), Buffer.alloc(32, 9)].map((bytes) =>
    bytes.toString('base64').replace(/=+$/, ''),
  )
  const argon2id = `$argon2id$v=19$m=64,t=1,p=1$${salt}$${hash}`
  const valid = [
    argon2id,
    `$hmac-sha256$k=2026-01${argon2id}`,
    `$sha1$s=c2FsdA,o=after${argon2id}`,
    `$scrypt$ln=10,r=8,p=1$${salt}$${hash}`,
    '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    `$pbkdf2-sha256$i=1000$${salt}$${hash}`,
    `pbkdf2_sha256$1000$salt$${hash}=`,
    `${'a'.repeat(32)}:${'b'.repeat(128)}`,
  ]
  const judge = (stored: string) => {
    const described = describeHash(stored)
    if (described) expect(Object.values(described.parameters).every(Number.isSafeInteger)).toBe(true)
    return described !== null
  }
  await fuzz({ inputs: mutated(valid, ['$', ',', '=', 'm=', 'A', '9', '\0', 'v=19$']), judge, deep: 0.2 })
})

test('any token has a verdict', async () => {
  const secret = new Uint8Array(32).fill(7)
  const [issuer, audience, seconds] = ['https://id.example.com', 'https://api.example.com', 1_800_000_000]
  const keys = createKeyRing({ keys: [await importJwtKey({ id: 'hmac', algorithm: 'HS256', bytes: secret })] })
  const verifier = createJwtVerifier({ issuer, audience, algorithms: ['HS256'], keys, now: () => seconds * 1000 })
  const key = createSecretKey(secret)
  const header = JSON.stringify({ alg: 'HS256', typ: 'JWT', kid: 'hmac' })
  const facts = { iss: issuer, sub: 'acc_1', aud: audience, iat: seconds, exp: seconds + 900, jti: 'token-1' }
  const sign = (head: string, payload: string) => {
    const input = [head, payload].map((part) => Buffer.from(part, 'latin1').toString('base64url')).join('.')
    return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`
  }
  const valid = sign(header, JSON.stringify(facts))
  const pieces = ['"', '{', '[', ',', ':1', '"aud":[', '1e999', '-0', '\\u0000', 'null', '\xff']
  const payloads = mutated([JSON.stringify(facts), JSON.stringify({ ...facts, nbf: seconds, role: 'A' })], pieces)
  // A changed token has no valid signature: what is behind that check is reached by texts that were signed as they are.
  const inputs = fc.oneof(
    mutated([valid], ['.', '=', ' ', '%2e']),
    fc.tuple(mutated([header], pieces), fc.constant(JSON.stringify(facts))).map((parts) => sign(...parts)),
    fc.tuple(fc.constant(header), payloads).map((parts) => sign(...parts)),
  )
  const judge = async (token: string) => {
    const verdict = await verifier.verify(token)
    if (verdict.ok) expect(verdict.claims).toMatchObject({ iss: issuer, exp: expect.any(Number) })
    return verdict.ok || !['malformed', 'signature'].includes(verdict.reason)
  }
  await fuzz({ inputs, judge, deep: 0.15 })
})

const schema = buildSchema(`
  interface Node { id: ID! }
  type Note implements Node { id: ID!, text: String!, next(first: Int = 1): [Note!]!, author: Author }
  type Author implements Node { id: ID!, name: String! }
  union Found = Note | Author
  input Filter { text: String, tags: [String!], not: Filter }
  type Query { notes(first: Int, filter: Filter): [Note!]!, found: [Found!]!, node(id: ID!): Node }
  type Mutation { write(text: String!): Note! }
`)
const author = { __typename: 'Author', id: 'a', name: 'Ada' }
const note: object = { __typename: 'Note', id: '1', text: 'Hello', next: () => [note], author }
const roots: Readonly<Record<string, () => unknown>> = {
  notes: () => [note],
  found: () => [note, author],
  node: () => note,
  write: () => note,
}
for (const type of [schema.getQueryType(), schema.getMutationType()]) {
  for (const field of Object.values(type?.getFields() ?? {})) field.resolve = roots[field.name]!
}
const rules = {
  'Query.notes': 'public',
  'Query.found': 'public',
  'Query.node': 'public',
  'Node.id': 'public',
  'Note.id': 'public',
  'Note.text': 'public',
  'Note.next': 'public',
  'Note.author': 'public',
  'Author.id': 'public',
  'Author.name': 'public',
  'Mutation.write': { permissions: 'notes:write' },
} as const
test('any document is prepared or refused with a code', async () => {
  const access = compileAccess({ schema, policy, rules })
  const judge = async (query: string) => {
    const verdict = await access.prepare({ query }, { identity: null })
    const codes = verdict.ok ? [] : verdict.errors.map(({ extensions }) => extensions.code)
    expect(codes).not.toContain('INTERNAL_SERVER_ERROR')
    expect(codes.every((code) => typeof code === 'string')).toBe(true)
    return !codes.includes('GRAPHQL_PARSE_FAILED')
  }
  await fuzz({ inputs: documents, judge, deep: 0.25 })
})

test('any body of JSON is answered, and never by a failure', async () => {
  const access = compileAccess({ schema, policy, rules })
  const handler = createGraphqlHandler({
    access,
    identify: { read: async () => ({ credential: null, identity: null }) },
    requestLimits: { batchSize: 3 },
    observe: { onEvent: () => undefined },
  })
  const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }
  const judge = async (body: Buffer) => {
    const response = await handler.fetch(
      new Request('https://example.com/graphql', { method: 'POST', headers, body: new Uint8Array(body) }),
    )
    expect(response.status).toBeLessThan(500)
    const { errors = [] } = (await response.json()) as { errors?: { extensions: { code: string } }[] }
    return !errors.some(({ extensions: { code } }) => code === 'BAD_REQUEST')
  }
  await fuzz({ inputs: jsonBodies, judge, deep: 0.3 })
})
