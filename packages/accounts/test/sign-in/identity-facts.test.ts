import { createJwtSigner, createJwtVerifier, createKeyRing, generateJwtKey, type JwtClaims } from '@latchkey/jwt'
import type { RefreshTokens } from '@latchkey/sessions'
import { firstPartyClientId } from '@latchkey/sessions/internal'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, firstPartyFacts } from '../bench.ts'

const issuer = 'https://example.com'
const keys = createKeyRing({ keys: [await generateJwtKey('HS256')] })

/** Identifies a token with these claims. */
async function identify({ accounts, now }: Bench, claims: JwtClaims, keyBinding?: string) {
  const options = { issuer, audience: issuer, keys, now }
  const { token } = await createJwtSigner(options).sign(claims)
  const verdict = await createJwtVerifier({ ...options, algorithms: ['HS256'] }).verify(token)
  if (!verdict.ok) throw new Error(verdict.reason)
  return accounts.identifyToken(verdict.claims, keyBinding === undefined ? {} : { keyBinding })
}

/** Issues a client a family of a new account. */
async function open(bench: Bench, input: Partial<Parameters<RefreshTokens['issue']>[0]> = {}) {
  const { id, epoch } = await bench.insert({ roles: ['ADMIN'], epoch: 2 })
  const factors = [{ kind: 'totp', at: bench.now() }]
  const { family } = await bench.refreshTokens.issue({ subject: id, epoch, clientId: 'demo-spa', factors, ...input })
  return { family, claims: { sub: id, sid: family.key, epoch, client_id: family.clientId } }
}

describe('the facts of a family that was given to a third party', () => {
  test('name the client, its grant and its scopes, and are not first-party', async () => {
    const bench = createBench()
    const { family, claims } = await open(bench, { scopes: ['openid', 'articles:read'], grant: 'gr_1' })
    expect(await identify(bench, claims)).toEqual({
      ...firstPartyFacts,
      firstParty: false,
      subject: claims.sub,
      roles: ['ADMIN'],
      clientId: 'demo-spa',
      grant: 'gr_1',
      scopes: ['openid', 'articles:read'],
      factors: [{ kind: 'totp', at: bench.now(), category: 'have' }],
      key: family.key,
      lineage: family.key,
      via: 'bearer',
      epoch: 2,
    })
  })

  test('have the lineage of the session that the family is bound to', async () => {
    const bench = createBench()
    const { claims } = await open(bench, { session: 'se_1' })
    expect(await identify(bench, claims)).toMatchObject({ key: claims.sid, lineage: 'se_1' })
  })

  test('give an unknown kind of factor the weakest category', async () => {
    const bench = createBench()
    const { claims } = await open(bench, { factors: [{ kind: 'voice', at: bench.now() }] })
    const factors = [{ kind: 'voice', at: bench.now(), category: 'know' }]
    expect(await identify(bench, claims)).toMatchObject({ factors })
  })

  test('have no scopes by default', async () => {
    const bench = createBench()
    const { claims } = await open(bench)
    expect(await identify(bench, claims)).toMatchObject({ firstParty: false, scopes: [] })
    expect(await identify(bench, { ...claims, scope: 'openid' })).toMatchObject({ firstParty: false, scopes: [] })
  })

  test.each([
    ['fewer scopes than the grant', 'articles:read', ['articles:read']],
    ['more scopes than the grant', 'openid articles:read accounts:update', ['openid', 'articles:read']],
    ['no scope', '', []],
    ['a scope that is no text', ['openid'], []],
  ])('have what grant and token both name: a token with %s', async (_title, scope, expected) => {
    const bench = createBench()
    const { claims } = await open(bench, { scopes: ['openid', 'articles:read'] })
    expect(await identify(bench, { ...claims, scope })).toMatchObject({ scopes: expected })
  })

  test.each([
    ['another client', { client_id: 'demo-web' }],
    ['the service itself', { client_id: firstPartyClientId }],
    ['no client', { client_id: undefined }],
  ])('are refused for a token that names %s', async (_title, change) => {
    const bench = createBench()
    const { claims } = await open(bench, { scopes: ['openid'] })
    expect(await identify(bench, { ...claims, ...change })).toBeNull()
  })

  test('are refused for a family of the service itself, whichever client its token names', async () => {
    const bench = createBench()
    const { claims } = await open(bench, { clientId: firstPartyClientId })
    expect(await identify(bench, { ...claims, client_id: undefined })).toMatchObject({ firstParty: true, scopes: null })
    expect(await identify(bench, { ...claims, client_id: 'demo-spa' })).toBeNull()
  })
})

describe('a token that is bound to a key', () => {
  const scopes = ['openid']

  test.each([
    ['with that key', 'thumb-a', true],
    ['with another key', 'thumb-b', false],
    ['without a key', undefined, false],
  ])('is valid %s: %s', async (_title, shown, isValid) => {
    const bench = createBench()
    const { claims } = await open(bench, { scopes, keyBinding: 'thumb-a' })
    const facts = await identify(bench, { ...claims, cnf: { jkt: 'thumb-a' } }, shown)
    expect(facts?.keyBinding ?? null).toBe(isValid ? 'thumb-a' : null)
    const ofFamilyAlone = await identify(bench, claims, shown)
    expect(ofFamilyAlone !== null).toBe(isValid)
  })

  test.each([
    ['of a machine', { sub: 'demo-machine', client_id: 'demo-machine' }],
    ['whose family is not', {}],
  ])('is not valid without the key if it is a token %s', async (_title, change) => {
    const bench = createBench()
    const { claims } = await open(bench, { scopes })
    const bound = 'sub' in change ? { ...change, cnf: { jkt: 'thumb-a' } } : { ...claims, cnf: { jkt: 'thumb-a' } }
    expect(await identify(bench, bound)).toBeNull()
    expect(await identify(bench, bound, 'thumb-b')).toBeNull()
    expect(await identify(bench, bound, 'thumb-a')).not.toBeNull()
    for (const cnf of [{}, { jkt: null }, null, 'thumb-a', ['thumb-a']]) {
      expect(await identify(bench, { ...bound, cnf }, 'thumb-a')).toBeNull()
      expect(await identify(bench, { ...bound, cnf })).toBeNull()
    }
  })

  test('a token of a machine has its key binding, and an unbound token has none, whichever key is presented', async () => {
    const machine = { sub: 'demo-machine', client_id: 'demo-machine' }
    const bound = { ...machine, cnf: { jkt: 'thumb-a' } }
    expect(await identify(createBench(), bound, 'thumb-a')).toMatchObject({ keyBinding: 'thumb-a' })
    expect(await identify(createBench(), machine, 'thumb-a')).toMatchObject({ keyBinding: null })
  })
})

describe('a token with neither family nor epoch', () => {
  test('a token belongs to a machine if its subject is its client', async () => {
    const bench = createBench()
    const claims = { sub: 'demo-machine', client_id: 'demo-machine', scope: 'articles:read' }
    expect(await identify(bench, claims)).toEqual({
      kind: 'client',
      subject: 'demo-machine',
      roles: [],
      clientId: 'demo-machine',
      firstParty: false,
      scopes: ['articles:read'],
      grant: null,
      keyBinding: null,
      impersonator: null,
      factors: [],
      enrolledFactors: [],
      enrollmentDueAt: null,
      mustEnroll: false,
      key: null,
      lineage: null,
      via: 'bearer',
      epoch: null,
    })
  })

  test.each([
    ['no scope', undefined, []],
    ['an empty scope', '', []],
    ['spaces around its scopes', ' openid  articles:read ', ['openid', 'articles:read']],
    ['a scope that is no text', ['openid'], []],
  ])('a token of a machine with %s has exactly its scopes', async (_title, scope, scopes) => {
    const claims = { sub: 'demo-machine', client_id: 'demo-machine', scope }
    expect(await identify(createBench(), claims)).toMatchObject({ kind: 'client', scopes })
  })

  test.each([
    ['an account', {}],
    ['an account through a client', { client_id: 'demo-spa' }],
    ['the service itself', { sub: firstPartyClientId, client_id: firstPartyClientId }],
    ['a machine with a family', { sub: 'demo-machine', client_id: 'demo-machine', sid: 'rt_x' }],
    ['a machine with an epoch', { sub: 'demo-machine', client_id: 'demo-machine', epoch: 0 }],
  ])('is not valid as one of %s', async (_title, change) => {
    const bench = createBench()
    const { id } = await bench.insert()
    expect(await identify(bench, { sub: id, scope: 'articles:read', ...change })).toBeNull()
  })
})
