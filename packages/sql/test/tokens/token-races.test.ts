import { DatabaseSync } from 'node:sqlite'
import { createKeyRing, generateJwtKey } from '@latchkey/jwt'
import { createPkcePair } from '@latchkey/oauth'
import { createAuthorizationServer } from '@latchkey/oauth/server'
import { createRefreshTokens } from '@latchkey/sessions'
import { createSqliteStores } from '@latchkey/sql'
import { createReplayTrackedCredentials, documentId } from '@latchkey/store/internal'
import { expect, test } from 'vitest'

const issuer = 'https://id.example.com'
const redirectUri = 'https://spa.example.com/callback'
const secrets = [{ id: '2026-11', bytes: new Uint8Array(32).fill(5) }] as const
const scopes = ['openid', 'offline_access'] as const

/** An authorization server on SQLite, with the consent of one account for one client. */
async function openServer(graceSeconds: number) {
  const { migrate, records, documents } = createSqliteStores({ database: () => new DatabaseSync(':memory:') })
  await migrate()
  await documents.insert({
    ...{ collection: 'oauth-grant', id: documentId('acc_1', 'spa'), owner: 'acc_1', version: 'first' },
    value: JSON.stringify({ v: 2, grantId: 'gr_1', clientId: 'spa', scopes, givenAt: 0, changedAt: 0 }),
  })
  const server = createAuthorizationServer({
    records,
    documents,
    issuer,
    secrets,
    keys: createKeyRing({ keys: [await generateJwtKey('ES256')] }),
    refreshTokens: createRefreshTokens({ records, secrets, graceSeconds, onEvent: () => {} }),
    resources: [`${issuer}/graphql`],
    fixedClients: [{ id: 'spa', name: 'SPA', authentication: ['none'], redirectUris: [redirectUri], scopes }],
    claims: async () => ({}),
    signedIn: async () => null,
    accountState: async () => ({ epoch: 0 }),
    pages: { signIn: '/sign-in', consent: '/consent' },
    onEvent: () => {},
  })
  const post = async (form: Readonly<Record<string, string>>) => {
    const body = new URLSearchParams({ client_id: 'spa', ...form })
    const response = await server.fetch(new Request(`${issuer}/token`, { method: 'POST', body }))
    return { status: response.status, body: (await response.json()) as Readonly<Record<string, string>> }
  }
  const present = async (token: string | undefined) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await server.fetch(new Request(`${issuer}/userinfo`, { headers }))).status
  }
  const giveCode = async () => {
    const { verifier, challenge } = createPkcePair()
    const codes = createReplayTrackedCredentials({ records, kind: 'ac', ttlSeconds: 60 })
    const session = { grantId: 'gr_1', sessionKey: 'se_1', epoch: 0, factors: [], authenticatedAt: 0 }
    const asked = { clientId: 'spa', redirectUri, challenge, scopes, resources: [], nonce: null, keyBinding: null }
    const code = await codes.create({ owner: 'acc_1', value: JSON.stringify({ v: 2, ...asked, ...session }) })
    const shown = { code: code.credential, redirect_uri: redirectUri, code_verifier: verifier }
    return { grant_type: 'authorization_code', ...shown }
  }
  const refresh = (token = '') => post({ grant_type: 'refresh_token', refresh_token: token })
  const families = async () => {
    return (await records.listByOwner('acc_1')).items.filter(({ key }) => key.startsWith('rt_'))
  }
  return { post, present, giveCode, refresh, families }
}

const fifty = <Result>(call: () => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: 50 }, () => call()))

test('a code that fifty callers redeem at once has at most one winner, and none of its tokens works afterwards', async () => {
  const { post, present, giveCode, refresh, families } = await openServer(10)
  const code = await giveCode()
  const answers = await fifty(() => post(code))
  const won = answers.filter(({ status }) => status === 200)
  expect(won.length).toBeLessThanOrEqual(1)
  expect(new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.error))).toEqual(
    new Set(['invalid_grant']),
  )
  expect(await families()).toEqual([])
  for (const { body } of won) {
    expect(await present(body.access_token)).toBe(401)
    expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant')
  }
})

test('a refresh token that fifty callers use at once has one successor with a grace', async () => {
  const { post, giveCode, refresh, present } = await openServer(10)
  const { body } = await post(await giveCode())
  const answers = await fifty(() => refresh(body.refresh_token))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(50)
  expect(new Set(answers.map((answer) => answer.body.refresh_token)).size).toBe(1)
  expect(await present(answers[0]?.body.access_token)).toBe(200)
})

test('one refresh token that fifty use at once has exactly one winner without a grace, and its copies end all', async () => {
  const { post, giveCode, refresh, families } = await openServer(0)
  const { body } = await post(await giveCode())
  const answers = await fifty(() => refresh(body.refresh_token))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await families()).toEqual([])
})
