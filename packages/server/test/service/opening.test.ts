import { randomBytes } from '@latchkey/bytes'
import { createPasswordHasher } from '@latchkey/password'
import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createBench, createMemoryStores, password } from '../support/bench.ts'
import { outcomeOf } from '../support/visitor.ts'

/** Stores and secrets that count their calls, and fail on demand. */
function createParts() {
  const state = { checks: 0, loads: 0, migrations: 0, closes: 0, fails: null as Error | null }
  const secrets = [{ id: 'a', bytes: randomBytes(32) }] as const
  const options = {
    stores: {
      ...createMemoryStores(),
      migrate: async () => void state.migrations++,
      check: async () => {
        state.checks++
        if (state.fails) throw state.fails
      },
      close: async () => void state.closes++,
    },
    secrets: {
      load: async () => {
        state.loads++
        return secrets
      },
    },
  }
  return { state, options }
}

const storeError = new StoreError('STORE_UNAVAILABLE', '10.0.0.7 is down')

describe('a server', () => {
  test('does not read or write before it is opened', () => {
    const { state, options } = createParts()
    createBench({ options })
    expect(state).toEqual({ checks: 0, loads: 0, migrations: 0, closes: 0, fails: null })
  })

  test('is opened by its first requests, once', async () => {
    const { state, options } = createParts()
    const { visitor } = createBench({ options })
    const answers = await Promise.all([1, 2, 3].map(() => visitor().ask('{ hello }')))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(state).toMatchObject({ checks: 1, loads: 1, migrations: 0 })
  })

  test('migrates with the option, before it checks the tables', async () => {
    const { state, options } = createParts()
    state.fails = new StoreError('STORE_NOT_MIGRATED', 'no tables')
    const migrate = async () => {
      state.fails = null
      state.migrations++
    }
    const { server } = createBench({ options: { ...options, stores: { ...options.stores, migrate } } })
    await expect(server.open()).rejects.toMatchObject({ code: 'STORE_NOT_MIGRATED' })
    await server.open({ migrate: true })
    expect(state.migrations).toBe(1)
  })

  test('answers 503 except at /healthz if it could not be opened, and retries', async () => {
    const { state, options } = createParts()
    const { server, visitor, events } = createBench({ options })
    state.fails = storeError
    await expect(server.open()).rejects.toBe(storeError)
    const stranger = visitor()
    const refused = await stranger.ask('{ hello }')
    expect(outcomeOf(refused)).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect(refused.headers.get('content-type')).toBe('application/graphql-response+json; charset=utf-8')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.text).not.toContain('10.0.0.7')
    expect(events).toContainEqual(expect.objectContaining({ type: 'access.failed', code: 'SERVICE_UNAVAILABLE' }))
    const form = await stranger.post('/verify', { token: 't' })
    expect([form.status, form.headers.get('retry-after')]).toEqual([503, '5'])
    expect((await stranger.get('/readyz')).status).toBe(503)
    expect((await stranger.get('/healthz')).status).toBe(200)
    expect((await stranger.get('/verify?token=t')).status).toBe(503)
    state.fails = null
    expect((await stranger.ask('{ hello }')).status).toBe(200)
    await expect.poll(async () => (await stranger.get('/readyz')).status).toBe(200)
  })

  test('does not open with malformed secrets, and shows visitors no detail', async () => {
    const { server, visitor } = createBench({
      options: { secrets: { load: async () => [{ id: 'a', bytes: new Uint8Array(31) }] } },
    })
    await expect(server.open()).rejects.toThrow(TypeError)
    expect(outcomeOf(await visitor().ask('{ hello }'))).toEqual([500, 'INTERNAL_SERVER_ERROR'])
  })

  test('does not open with keys that were sealed with other secrets', async () => {
    const first = createBench()
    await first.server.open()
    const second = createBench({
      beside: { ...first, secrets: [{ id: 'b', bytes: randomBytes(32) }] },
    })
    await expect(second.server.open()).rejects.toMatchObject({
      code: 'JWT_KEY_UNREADABLE',
      message: expect.stringContaining('If another service stored the key, use a database of your own.'),
    })
  })

  test('accepts earlier credentials after a new secret was put first', async () => {
    const first = createBench()
    const [cookie, tokens] = [await first.signedIn('AUTHOR'), await first.signedIn('AUTHOR', 'TOKEN')]
    const second = createBench({
      beside: { ...first, secrets: [{ id: 'b', bytes: randomBytes(32) }, ...first.secrets] },
    })
    for (const { jar, bearer, csrfToken } of [cookie, tokens]) {
      const visitor = Object.assign(second.visitor(), { jar, bearer, csrfToken })
      expect((await visitor.ask('mutation { writeNote(text: "T") }')).status).toBe(200)
    }
    const renewing = Object.assign(second.visitor(), { jar: tokens.jar })
    expect((await renewing.ask('mutation { refresh { accessToken } }')).status).toBe(200)
  })
})

describe('a server that is closed', () => {
  test('closes its stores once, after the mails, and answers 503', async () => {
    const { state, options } = createParts()
    const order: string[] = []
    const { server, visitor } = createBench({
      options: {
        ...options,
        stores: { ...options.stores, close: async () => void order.push('closed') },
        mails: {
          mailer: {
            send: async () => {
              await new Promise((resolve) => setTimeout(resolve, 20))
              order.push('mailed')
            },
          },
        },
      },
    })
    const input = { email: 'ada@example.com', password, name: 'Ada' }
    await visitor().ask('mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }', { input })
    await Promise.all([server.close(), server.close()])
    await server.close()
    expect(order).toEqual(['mailed', 'closed'])
    const late = await visitor().ask('{ hello }')
    expect([...outcomeOf(late), late.headers.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '5'])
    expect((await visitor().get('/readyz')).status).toBe(503)
    expect((await visitor().get('/healthz')).status).toBe(200)
    await expect(server.open()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(state.checks).toBe(1)
  })

  test('closes stores that were never opened, or could not be', async () => {
    const { state, options } = createParts()
    await createBench({ options }).server.close()
    expect(state.closes).toBe(1)
    state.fails = storeError
    const { server } = createBench({ options })
    await expect(server.open()).rejects.toBe(storeError)
    await server.close()
    expect(state.closes).toBe(2)
  })

  test('closes its own hasher, but not a given hasher', async () => {
    const own = createPasswordHasher({ argon2id: { memoryKib: 19_456, iterations: 2 } })
    const { server } = createBench({ options: { signIn: { passwordHasher: own } } })
    await server.open()
    await server.close()
    expect((await own.verify(password, null)).ok).toBe(false)
    await own.close()
  })

  test('answers 503 to requests that still wait for a password', async () => {
    const closed = createPasswordHasher()
    await closed.close()
    const { insert, visitor } = createBench({ options: { signIn: { passwordHasher: closed } } })
    const { email } = await insert()
    const answer = await visitor().signIn(email, password)
    expect([...outcomeOf(answer), answer.headers.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '1'])
  })
})

test('several servers over the same stores are a single service', async () => {
  const first = createBench()
  const second = createBench({ beside: first })
  const visitor = await first.signedIn('AUTHOR')
  const tokens = await first.signedIn('AUTHOR', 'TOKEN')
  const elsewhere = Object.assign(second.visitor(), { jar: visitor.jar, csrfToken: visitor.csrfToken })
  const tokensElsewhere = Object.assign(second.visitor(), { jar: tokens.jar, bearer: tokens.bearer })
  expect((await elsewhere.ask('mutation { writeNote(text: "T") }')).status).toBe(200)
  expect((await tokensElsewhere.ask('{ viewer { id } }')).status).toBe(200)
  const renewed = await tokensElsewhere.ask('mutation { refresh { accessToken } }')
  expect(renewed.status).toBe(200)
  tokens.bearer = renewed.data.refresh.accessToken
  expect((await tokens.ask('{ viewer { id } }')).status).toBe(200)
  await elsewhere.ask('mutation { signOut }')
  expect((await visitor.ask('{ viewer { id } }')).status).toBe(401)
  await tokensElsewhere.ask('mutation { revokeAllSessions(exceptCurrent: false) }')
  expect((await tokens.ask('{ viewer { id } }')).status).toBe(401)
})

test('two services with separate stores refuse credentials of the other service', async () => {
  const [one, other] = [createBench(), createBench()]
  const [cookie, tokens] = [await one.signedIn(), await one.signedIn('READER', 'TOKEN')]
  for (const { jar, bearer } of [cookie, tokens]) {
    const stranger = Object.assign(other.visitor(), { jar: new Map(jar), bearer })
    expect((await stranger.ask('{ viewer { id } }')).status).toBe(401)
  }
})
