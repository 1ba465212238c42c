import { AccountsError } from '@latchkey/accounts'
import { AccessError } from '@latchkey/graphql'
import { createJwtVerifier, createRemoteKeySet } from '@latchkey/jwt'
import type { AnyPolicy } from '@latchkey/rbac'
import type { ServerOptions } from '@latchkey/server'
import { GraphQLError } from 'graphql'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, password } from '../support/bench.ts'
import { createOAuthBench } from './support/oauth-bench.ts'

type AccessTokens = NonNullable<NonNullable<ServerOptions<AnyPolicy>['sessions']>['accessTokens']>

const claims: AccessTokens['claims'] = ({ email, roles }) => ({ domain: email.split('@')[1], roles })
const viewer = '{ viewer { id } }'
const refresh = 'mutation { refresh { accessToken } }'

/** The claims that a service elsewhere reads, which knows nothing of this one but its public keys. */
async function readElsewhere({ server, clock }: Bench, token: string | null) {
  const now = () => clock.time
  const fetch = (url: unknown, init?: RequestInit) => server.fetch(new Request(String(url), init))
  const keys = createRemoteKeySet({ url: 'https://example.com/jwks', fetch, now })
  const both = { issuer: 'https://example.com', audience: 'https://example.com' }
  const verdict = await createJwtVerifier({ ...both, algorithms: ['ES256'], keys, now }).verify(token)
  if (!verdict.ok) throw new Error(verdict.reason)
  return verdict.claims
}

const payloadOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

describe('"sessions.accessTokens.claims"', () => {
  test('are read by a service elsewhere as the claim ext, at a sign-in and after a refresh', async () => {
    const bench = createBench({ options: { sessions: { accessTokens: { algorithm: 'ES256', claims } } } })
    const visitor = await bench.signedIn('READER', 'TOKEN')
    const ext = { domain: 'example.com', roles: ['READER'] }
    expect((await readElsewhere(bench, visitor.bearer)).ext).toEqual(ext)
    expect((await visitor.ask(viewer)).status).toBe(200)
    await bench.stores.accounts.replace(visitor.account.id, {}, { roles: ['AUTHOR'] })
    visitor.bearer = null
    const { accessToken } = (await visitor.ask(refresh)).data.refresh
    expect((await readElsewhere(bench, accessToken)).ext).toEqual({ ...ext, roles: ['AUTHOR'] })
  })

  test('are in no token of a client', async () => {
    const bench = createOAuthBench({ options: { sessions: { accessTokens: { claims } } } })
    const reader = await bench.signedIn('READER')
    const given = await bench.give(reader, { scope: 'openid email' })
    for (const token of [given.access_token, given.id_token ?? '', await bench.machineToken()]) {
      expect(payloadOf(token)).toMatchObject({ iss: 'https://example.com' })
      expect(payloadOf(token)).not.toHaveProperty('ext')
    }
  })

  test('cannot assign a role', async () => {
    const forged: AccessTokens['claims'] = ({ roles }) => {
      ;(roles as string[]).push('ADMIN')
      return { role: 'ADMIN', roles, sub: 'acc_other' }
    }
    const bench = createBench({ options: { sessions: { accessTokens: { claims: forged } } } })
    const visitor = await bench.signedIn('READER', 'TOKEN')
    expect(payloadOf(visitor.bearer ?? '')).toMatchObject({ sub: visitor.account.id, role: 'READER' })
    expect((await visitor.ask('{ accounts { id } }')).status).toBe(403)
  })

  test.each([
    ['an error', new Error('the database at 10.0.0.7 said: select * from plans')],
    ['the refusal of another use case', new AccountsError('EMAIL_INVALID', 'at 10.0.0.7')],
    ['a refusal of access', new AccessError('FORBIDDEN', { message: 'at 10.0.0.7' })],
    ['an error of GraphQL', new GraphQLError('at 10.0.0.7', { extensions: { code: 'BAD_USER_INPUT' } })],
    ['a text', 'at 10.0.0.7'],
  ])('fail the service if they throw %s, without details', async (_, thrown) => {
    const bench = createBench({
      options: {
        sessions: {
          accessTokens: {
            claims: () => {
              throw thrown
            },
          },
        },
      },
    })
    const { email, id } = await bench.insert()
    const visitor = bench.visitor()
    const { status, text, cookies, errors } = await visitor.signIn(email, password, 'TOKEN')
    expect([status, errors[0]?.extensions?.code, cookies]).toEqual([500, 'INTERNAL_SERVER_ERROR', []])
    expect(text).not.toContain('10.0.0.7')
    const message = 'the function for claims of access tokens has failed, so no token was issued'
    expect(bench.events.at(-1)).toMatchObject({
      type: 'access.failed',
      code: 'INTERNAL_SERVER_ERROR',
      path: 'signIn',
      cause: { message, cause: thrown },
    })
    await visitor.signIn(email, password)
    expect((await visitor.ask('{ sessions { id } }')).data.sessions).toHaveLength(1)
    expect(bench.events.filter((event) => event.type === 'session.created')).toMatchObject([{ accountId: id }])
  })

  test.each([null, {}, 'claims'])('as %j is refused by name', (given) => {
    const accessTokens = { claims: given } as unknown as AccessTokens
    expect(() => createBench({ options: { sessions: { accessTokens } } })).toThrow(
      new TypeError('"sessions.accessTokens.claims" must be a function'),
    )
  })
})
