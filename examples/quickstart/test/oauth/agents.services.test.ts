import { runAgent } from '@latchkey/example-agent/agent'
import { serveOwnAddress } from '@latchkey/example-agent/own-address'
import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeStart, type Quickstart, startQuickstart } from '../support/start-quickstart.ts'
import { answerClient, createPerson } from './sign-in-at-client.ts'

let service: Quickstart
beforeAll(async () => {
  service = await startQuickstart({ DATA_DIR: ':memory:' }, nodeStart)
})
afterAll(async () => void (await service?.stop()))

describe('an unregistered agent', () => {
  const run = async (email: string, decisions: readonly ('allow' | 'deny')[] = []) => {
    const lines: string[] = []
    const person = createPerson(service.url, email)
    const asked = [...decisions]
    const leadTo = async (address: URL) => void (await fetch(await answerClient(person, address, asked.shift())))
    const done = runAgent({ server: `${service.url}/mcp`, print: (line) => lines.push(line), leadTo })
    const error = await done.then(
      () => null,
      (cause: unknown) => String(cause),
    )
    return { lines, error }
  }

  test('signs in, uses a tool, and requests one scope more for another tool', async () => {
    const { lines, error } = await run('author@example.com')
    expect([error, lines]).toEqual([
      null,
      [
        'needs: openid articles:read',
        'tools: listArticles, readArticle, searchArticles, whoAmI, createDraft, updateArticle, deleteArticle, addComment, deleteComment',
        expect.stringContaining('"title":"The second life of a quarry"'),
        'needs: openid articles:read articles:create',
        expect.stringMatching(/^wrote: \{"createArticle":\{"id":"art_.+","title":"By an agent","status":"DRAFT"\}\}$/),
      ],
    ])
  })

  test('an agent writes no data if its user refuses the further scope', async () => {
    const { lines, error } = await run('author@example.com', ['allow', 'deny'])
    expect([error, lines.length, lines[3]]).toEqual([
      'OAuthError: The user denied the request.',
      4,
      'needs: openid articles:read articles:create',
    ])
  })

  test('knows no tool that the role of its user cannot open', async () => {
    const { lines, error } = await run('reader@example.com')
    expect([error, lines[1]]).toEqual([
      expect.stringContaining('Unknown tool'),
      'tools: listArticles, readArticle, searchArticles, whoAmI, addComment, deleteComment',
    ])
  })
})

describe('the same run by openid-client', () => {
  const scopeOf = (challenge: string | null) => /\bscope="([^"]*)"/.exec(challenge ?? '')?.[1] ?? ''
  const call = async (name: string, token: string | null, args: object = {}) => {
    const response = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        ...(token !== null && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    })
    const body = (await response.json()) as { result?: { structuredContent: object } }
    return { status: response.status, challenge: response.headers.get('www-authenticate'), result: body.result }
  }

  test('goes from 401 over the metadata of the resource to a tool, and from 403 to another', async () => {
    const own = await serveOwnAddress('Agent by openid-client')
    const person = createPerson(service.url, 'author@example.com')
    const unknown = await call('searchArticles', null, { text: 'ferry' })
    const metadataUrl = /resource_metadata="([^"]+)"/.exec(unknown.challenge ?? '')?.[1] ?? ''
    expect([unknown.status, metadataUrl]).toEqual([401, `${service.url}/.well-known/oauth-protected-resource/mcp`])
    const metadata = (await (await fetch(metadataUrl)).json()) as {
      readonly resource: string
      readonly authorization_servers: readonly string[]
    }
    expect(metadata.resource).toBe(`${service.url}/mcp`)
    const [issuer = ''] = metadata.authorization_servers
    const insecure = { execute: [openid.allowInsecureRequests] }
    const config = await openid.discovery(new URL(issuer), own.clientId, undefined, openid.None(), insecure)
    const signIn = async (scope: string) => {
      const pkceCodeVerifier = openid.randomPKCECodeVerifier()
      const [expectedState, resource] = [openid.randomState(), metadata.resource]
      const address = openid.buildAuthorizationUrl(config, {
        ...{ scope, resource, state: expectedState, redirect_uri: own.document.redirect_uris[0] ?? '' },
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      })
      const answer = await answerClient(person, address)
      const checks = { pkceCodeVerifier, expectedState }
      return (await openid.authorizationCodeGrant(config, answer, checks, { resource })).access_token
    }
    const token = await signIn(scopeOf(unknown.challenge))
    const found = await call('searchArticles', token, { text: 'ferry' })
    expect([found.status, JSON.stringify(found.result)]).toEqual([200, expect.stringContaining('ferry')])
    const narrow = await call('createDraft', token, { title: 'T', body: 'B' })
    expect([narrow.status, scopeOf(narrow.challenge)]).toEqual([403, 'articles:create'])
    const wider = await signIn(`${scopeOf(unknown.challenge)} ${scopeOf(narrow.challenge)}`)
    const written = await call('createDraft', wider, { title: 'T', body: 'B' })
    expect([written.status, written.result?.structuredContent]).toMatchObject([200, { createArticle: { title: 'T' } }])
    expect((await call('createDraft', token, { title: 'T', body: 'B' })).status).toBe(403)
    own.close()
  })
})
