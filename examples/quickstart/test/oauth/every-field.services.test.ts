import { createPkcePair } from '@latchkey/oauth'
import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientPermissions } from '../../src/publication/demo-clients.ts'
import { findWays, isOfOwnPages, isOpen, operationOf } from '../support/every-field.ts'
import { nodeStart, type Quickstart, startQuickstart } from '../support/start-quickstart.ts'
import { answerClient, createPerson } from './sign-in-at-client.ts'

const redirectUri = 'http://127.0.0.1:4001/callback'
let service: Quickstart
let token: string

beforeAll(async () => {
  service = await startQuickstart({ DATA_DIR: ':memory:' }, nodeStart)
  token = await tokenOf('openid')
})
afterAll(async () => void (await service?.stop()))

/** A token of `demo-spa` that an administrator has allowed. */
async function tokenOf(scope: string): Promise<string> {
  const { verifier, challenge } = createPkcePair()
  const asked = {
    ...{ client_id: 'demo-spa', redirect_uri: redirectUri, response_type: 'code', scope },
    ...{ code_challenge: challenge, code_challenge_method: 'S256' },
  }
  const address = new URL(`/authorize?${new URLSearchParams(asked)}`, service.url)
  const answer = await answerClient(createPerson(service.url, 'admin@example.com'), address)
  const response = await fetch(`${service.url}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      ...{ grant_type: 'authorization_code', client_id: 'demo-spa', redirect_uri: redirectUri },
      ...{ code: answer.searchParams.get('code') ?? '', code_verifier: verifier },
    }),
  })
  return ((await response.json()) as { readonly access_token: string }).access_token
}

describe('a token of demo-spa with the scope openid, which an administrator has allowed', () => {
  const ways = [...findWays()]

  test.each(ways)('opens %s only if it is public or names openid', async (coordinate, way) => {
    // It ends the token that it is asked with.
    const shown = coordinate === 'Mutation.signOut' ? await tokenOf('openid') : token
    const isStream = coordinate.startsWith('Subscription.') || way.open.startsWith('subscription')
    const response = await fetch(`${service.url}/graphql${isStream ? '/stream' : ''}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${shown}`,
        'content-type': 'application/json',
        accept: isStream ? 'text/event-stream' : 'application/graphql-response+json',
      },
      body: JSON.stringify({ query: operationOf(way) }),
      signal: AbortSignal.timeout(10_000),
    })
    if (isOpen(way.coordinates) && isStream) {
      expect(response.headers.get('content-type')).toContain('text/event-stream')
      return void (await response.body?.cancel())
    }
    const { errors = [] } = (await response.json()) as { errors?: readonly { extensions: { code: string } }[] }
    const codes = errors.map(({ extensions }) => extensions.code)
    if (isOpen(way.coordinates)) expect(codes).not.toContain('FORBIDDEN')
    else expect([response.status, ...new Set(codes)]).toEqual([403, 'FORBIDDEN'])
  })
})

describe('a token of demo-app with all its scopes, which an administrator has allowed without a question', () => {
  const ways = [...findWays()].filter(([, { coordinates }]) => isOfOwnPages(coordinates))
  let ask: (query: string) => Promise<Response>

  beforeAll(async () => {
    const insecure = { execute: [openid.allowInsecureRequests] }
    const config = await openid.discovery(new URL(service.url), 'demo-app', undefined, openid.None(), insecure)
    const dpop = { DPoP: openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256')) }
    const { verifier, challenge } = createPkcePair()
    const asked = {
      ...{
        redirect_uri: 'http://127.0.0.1:4003/callback',
        scope: ['openid', 'email', 'offline_access', ...clientPermissions].join(' '),
      },
      ...{ code_challenge: challenge, code_challenge_method: 'S256' },
    }
    const person = createPerson(service.url, 'admin@example.com')
    const answer = await answerClient(person, openid.buildAuthorizationUrl(config, asked), 'deny')
    const tokens = await openid.authorizationCodeGrant(config, answer, { pkceCodeVerifier: verifier }, undefined, dpop)
    const url = new URL('/graphql', service.url)
    const headers = new Headers({ 'content-type': 'application/json' })
    ask = (query) =>
      openid.fetchProtectedResource(
        ...([config, tokens.access_token, url, 'POST', JSON.stringify({ query }), headers, dpop] as const),
      )
  })

  test.each(ways)('does not open %s, which is for the pages of the service', async (_coordinate, way) => {
    const response = await ask(operationOf(way))
    const { errors } = (await response.json()) as { errors: readonly { extensions: object }[] }
    expect(response.status).toBe(403)
    expect(errors[0]?.extensions).toMatchObject({ code: 'FORBIDDEN', reason: 'own-pages' })
  })

  test('opens what the account sees of itself, and no step-up', async () => {
    const seen =
      '{ viewer { email role } sessions { kind clientId current } grants { clientId } factors { kind } passkeys { id } }'
    expect(await (await ask(seen)).json()).toMatchObject({
      data: {
        viewer: { email: 'admin@example.com', role: 'ADMIN' },
        sessions: expect.arrayContaining([{ kind: 'refresh', clientId: 'demo-app', current: true }]),
        grants: expect.arrayContaining([{ clientId: 'demo-app' }]),
      },
    })
  })
})
