import { unknownAttempt } from '@latchkey/accounts'
import { createDenyList, createJwtVerifier, createRemoteKeySet } from '@latchkey/jwt'
import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, newPassword, password } from '../support/bench.ts'
import { outcomeOf } from '../support/visitor.ts'

const viewer = '{ viewer { id } }'
const options = { sessions: { accessTokens: { algorithm: 'ES256' } } } as const

/** A service elsewhere that reads the denials of this one, and nothing else of it but its public keys. */
function verifierElsewhere({ server, stores, clock }: Bench, maxStalenessSeconds = 0) {
  const now = () => clock.time
  const fetch = (url: unknown, init?: RequestInit) => server.fetch(new Request(String(url), init))
  const keys = createRemoteKeySet({ url: 'https://example.com/jwks', fetch, now })
  const denyList = createDenyList({ documents: stores.documents, maxStalenessSeconds, now })
  const both = { issuer: 'https://example.com', audience: 'https://example.com' }
  const verifier = createJwtVerifier({ ...both, algorithms: ['ES256'], keys, denyList, now })
  return async (token: string | null) => {
    const verdict = await verifier.verify(token)
    return verdict.ok ? 'ok' : verdict.reason
  }
}

describe('revokeToken', () => {
  test('revokes a token in every process and elsewhere from the next request, and keeps its session', async () => {
    const bench = createBench({ options })
    const other = createBench({ beside: bench, options })
    const elsewhere = verifierElsewhere(bench)
    const visitor = await bench.signedIn('READER', 'TOKEN')
    const ended = visitor.bearer ?? ''
    expect(await bench.server.revokeToken(ended)).toBe(true)
    expect(bench.events.at(-1)).toMatchObject({
      type: 'token.revoked',
      at: bench.clock.time,
      accountId: visitor.account.id,
    })
    for (const { visitor: open } of [bench, other]) {
      const answer = await Object.assign(open(), { bearer: ended }).ask(viewer)
      expect(outcomeOf(answer)).toEqual([401, 'UNAUTHENTICATED'])
    }
    expect(await elsewhere(ended)).toBe('denied')
    visitor.bearer = null
    const { data } = await visitor.ask('mutation { refresh { accessToken } }')
    visitor.bearer = data.refresh.accessToken
    expect((await visitor.ask(viewer)).status).toBe(200)
    expect(await elsewhere(visitor.bearer)).toBe('ok')
  })

  test('returns false for an invalid token, without an event or a record', async () => {
    const bench = createBench()
    const { bearer } = await bench.signedIn('READER', 'TOKEN')
    expect(await bench.server.revokeToken(bearer ?? '')).toBe(true)
    const events = bench.events.length
    const stranger = (await createBench().signedIn('READER', 'TOKEN')).bearer ?? ''
    for (const token of [bearer ?? '', stranger, 'no.token.here', '']) {
      expect(await bench.server.revokeToken(token)).toBe(false)
    }
    expect(bench.events.length).toBe(events)
  })
})

describe('a service that verifies tokens elsewhere', () => {
  const cases: Readonly<
    Record<string, (bench: Bench, visitor: Awaited<ReturnType<Bench['signedIn']>>) => Promise<unknown>>
  > = {
    signOut: (_bench, visitor) => visitor.ask('mutation { signOut }'),
    revokeSession: async (bench, visitor) => {
      const { data } = await visitor.ask('{ sessions { id current } }')
      const [{ id }] = data.sessions
      const other = bench.visitor()
      await other.signIn(visitor.account.email, password)
      return other.ask('mutation ($id: ID!) { revokeSession(id: $id) }', { id })
    },
    revokeAllSessions: (_bench, visitor) => visitor.ask('mutation { revokeAllSessions(exceptCurrent: false) }'),
    'a change of the password by another session': async (bench, visitor) => {
      const other = bench.visitor()
      await other.signIn(visitor.account.email, password)
      const input = { currentPassword: password, newPassword }
      return other.ask('mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }', { input })
    },
    'a confirmation of the password, which takes another one in its place': (_bench, visitor) =>
      visitor.ask('mutation ($old: String!) { confirmPassword(input: { currentPassword: $old }) { status } }', {
        old: password,
      }),
    'another sign-in of the same browser': (_bench, visitor) => {
      visitor.bearer = null
      return visitor.signIn(visitor.account.email, password, 'TOKEN')
    },
    'an old refresh token that is used again': async (bench, visitor) => {
      const old = new Map(visitor.jar)
      const refresh = 'mutation { refresh { accessToken } }'
      for (let count = 0; count < 2; count++) await Object.assign(visitor, { bearer: null }).ask(refresh)
      bench.advance(11)
      return Object.assign(bench.visitor(), { jar: old }).ask(refresh)
    },
    'a command': async (bench, visitor) =>
      (await bench.server.accounts()).disable({ id: visitor.account.id, attempt: unknownAttempt }),
  }

  test.each(Object.entries(cases))('refuses a token after its session was revoked by %s', async (_what, end) => {
    const bench = createBench({ options })
    const elsewhere = verifierElsewhere(bench)
    const [visitor, neighbour] = [await bench.signedIn('READER', 'TOKEN'), await bench.signedIn('READER', 'TOKEN')]
    const { bearer } = visitor
    expect(await elsewhere(bearer)).toBe('ok')
    await end(bench, visitor)
    expect(await elsewhere(bearer)).toBe('denied')
    expect(await elsewhere(neighbour.bearer)).toBe('ok')
  })

  test.each(['disable', 'lockAccount', 'setRoles'] as const)(
    'refuses a token after a repeated %s whose first call has failed to deny it',
    async (deed) => {
      let isDown = false
      const around = (call: string, run: () => Promise<unknown>) =>
        isDown && call === 'documents.insert' ? Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down')) : run()
      const bench = createBench({ around, options })
      const elsewhere = verifierElsewhere(bench)
      const { account, bearer } = await bench.signedIn('READER', 'TOKEN')
      const accounts = await bench.server.accounts()
      const of = { id: account.id, roles: ['AUTHOR'], attempt: unknownAttempt }
      isDown = true
      await expect(accounts[deed](of)).rejects.toThrow('down')
      isDown = false
      await accounts[deed](of)
      expect(await elsewhere(bearer)).toBe('denied')
    },
  )

  test('accepts a token after other sessions were revoked', async () => {
    const bench = createBench({ options })
    const elsewhere = verifierElsewhere(bench)
    const visitor = await bench.signedIn('READER', 'TOKEN')
    const other = bench.visitor()
    await other.signIn(visitor.account.email, password, 'TOKEN')
    await other.ask('mutation { signOut }')
    expect([await elsewhere(visitor.bearer), await elsewhere(other.bearer)]).toEqual(['ok', 'denied'])
    await visitor.ask('mutation { revokeAllSessions }')
    expect(await elsewhere(visitor.bearer)).toBe('ok')
  })

  test('accepts a token after another account tried to revoke its session', async () => {
    const bench = createBench({ options })
    const elsewhere = verifierElsewhere(bench)
    const [visitor, stranger] = [await bench.signedIn('READER', 'TOKEN'), await bench.signedIn('READER', 'TOKEN')]
    const { data } = await visitor.ask('{ sessions { id } }')
    const [{ id }] = data.sessions
    const answer = await stranger.ask('mutation ($id: ID!) { revokeSession(id: $id) }', { id })
    expect(answer.data).toEqual({ revokeSession: false })
    expect(await elsewhere(visitor.bearer)).toBe('ok')
  })
})

test('while the denials cannot be read a bearer is 503, and neither accepted nor signed out', async () => {
  let isDown = false
  const around = (call: string, run: () => Promise<unknown>) =>
    isDown && call.startsWith('documents.') ? Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down')) : run()
  const bench = createBench({ around, options })
  const [tokens, session] = [await bench.signedIn('READER', 'TOKEN'), await bench.signedIn('READER')]
  isDown = true
  expect(outcomeOf(await tokens.ask(viewer))).toEqual([503, 'SERVICE_UNAVAILABLE'])
  // A cookie needs no denials.
  expect((await session.ask(viewer)).status).toBe(200)
  expect(outcomeOf(await tokens.ask('mutation { signOut }'))).toEqual([503, 'SERVICE_UNAVAILABLE'])
  isDown = false
  expect((await tokens.ask(viewer)).status).toBe(200)
})

test.each([false, true])(
  'the token before a step-up is denied while its successor exists; denying fails: %s',
  async (fails) => {
    const open: number[] = []
    const around = async (call: string, run: () => Promise<unknown>) => {
      if (call !== 'documents.insert' || accountId === '') return run()
      open.push((await bench.stores.records.listByOwner(accountId)).items.length)
      return fails ? Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down')) : run()
    }
    let accountId = ''
    const bench = createBench({ around, options })
    const visitor = await bench.signedIn('READER', 'TOKEN')
    accountId = visitor.account.id
    const confirm = `mutation { confirmPassword(input: { currentPassword: "${password}" }) { status } }`
    expect(outcomeOf(await visitor.ask(confirm))[0]).toBe(fails ? 503 : 200)
    // The streams of the old one look for its successor as soon as it is denied.
    expect(open).toEqual([2])
    expect((await bench.stores.records.listByOwner(accountId)).items).toHaveLength(1)
    expect((await visitor.ask(viewer)).status).toBe(fails ? 200 : 401)
  },
)

test("the store's answer about a token is reused for maxStalenessSeconds", async () => {
  const reads: string[] = []
  const around = (call: string, run: () => Promise<unknown>) => {
    if (call === 'documents.get') reads.push(call)
    return run()
  }
  const bench = createBench({ around, options: { sessions: { accessTokens: { maxStalenessSeconds: 5 } } } })
  const visitor = await bench.signedIn('READER', 'TOKEN')
  reads.length = 0
  for (let request = 0; request < 3; request++) expect((await visitor.ask(viewer)).status).toBe(200)
  // The token and its session.
  expect(reads).toHaveLength(2)
  bench.advance(5)
  await visitor.ask(viewer)
  expect(reads).toHaveLength(4)
})

test('an old refresh token that is used again is an event also while the denials cannot be written', async () => {
  let isDown = false
  const around = (call: string, run: () => Promise<unknown>) =>
    isDown && call === 'documents.insert' ? Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down')) : run()
  const bench = createBench({ around, options })
  const visitor = await bench.signedIn('READER', 'TOKEN')
  const copy = Object.assign(bench.visitor(), { jar: new Map(visitor.jar) })
  const refresh = 'mutation { refresh { accessToken } }'
  for (let count = 0; count < 2; count++) await Object.assign(visitor, { bearer: null }).ask(refresh)
  bench.advance(11)
  isDown = true
  const before = bench.events.length
  expect(outcomeOf(await copy.ask(refresh))).toEqual([503, 'SERVICE_UNAVAILABLE'])
  expect(bench.events.slice(before).map(({ type }) => type)).toContain('family.reused')
})
