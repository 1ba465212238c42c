import { randomBytes } from '@latchkey/bytes'
import { createPkcePair } from '@latchkey/oauth'
import { createClientRegistry } from '@latchkey/oauth/server'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Bench } from '../support/bench.ts'
import { answerTo, callback, createAskingBench, decide, open, reader, requestPath } from '../support/clients/asking.ts'
import { openCountedStores } from './support/counted-statements.ts'

interface Client {
  readonly client_id: string
  readonly client_secret?: string
}

/** A client that is written in code, and keeps no secret. */
async function inCode(): Promise<Client> {
  return { client_id: reader.id }
}

/** A client that is stored, and has a secret. */
async function stored({ stores: { documents } }: Bench): Promise<Client> {
  const registry = createClientRegistry({ documents })
  const { client, secret } = await registry.create({ ...reader, authentication: ['client_secret_post'], id: 'stored' })
  return { client_id: client.id, client_secret: secret ?? '' }
}

// With everything on SQLite, the audit log and the limits too.
describe.each([
  { name: 'a client in code', create: inCode, consent: 9, exchange: 6, refresh: 3 },
  { name: 'a stored client with a secret', create: stored, consent: 10, exchange: 7, refresh: 4 },
])('$name', ({ create, consent, exchange, refresh }) => {
  async function setUp() {
    const { stores, clock, statementsOf } = await openCountedStores()
    const secrets = [{ id: 'a', bytes: randomBytes(32) }] as const
    const bench = createAskingBench({ beside: { stores, secrets, clock, outbox: [] } })
    onTestFinished(() => bench.server.close())
    const client = await create(bench)
    const visitor = await bench.signedIn()
    const { verifier, challenge } = createPkcePair()
    const asked = { client_id: client.client_id, code_challenge: challenge, scope: 'openid offline_access' }
    const page = await open(visitor, requestPath(asked))
    const allowed = await statementsOf(() => decide(visitor, page, 'allow'))
    const { code = '' } = answerTo(allowed.result)
    const token = async (form: Readonly<Record<string, string>>) => {
      const { result, statements } = await statementsOf(() => bench.visitor().post('/token', { ...client, ...form }))
      expect(result.status).toBe(200)
      return { statements, refresh_token: String(JSON.parse(result.text).refresh_token) }
    }
    const given = { grant_type: 'authorization_code', redirect_uri: callback, code, code_verifier: verifier }
    return { allowed, token, given }
  }

  test(`takes ${consent} statements for a consent`, async () => {
    const { allowed } = await setUp()
    expect(allowed.statements).toHaveLength(consent)
  })

  test(`takes ${exchange} statements for the exchange of a code, and ${refresh} for a refresh`, async () => {
    const { token, given } = await setUp()
    const first = await token(given)
    expect(first.statements).toHaveLength(exchange)
    const { refresh_token } = first
    expect((await token({ grant_type: 'refresh_token', refresh_token })).statements).toHaveLength(refresh)
  })
})
