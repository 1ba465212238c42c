import { describe, expect, test } from 'vitest'
import { createOAuthBench } from '../oauth/support/oauth-bench.ts'
import { createBench, password } from '../support/bench.ts'
import { newCookies, outcomeOf, signInMutation } from '../support/visitor.ts'

const shells = ['capacitor://localhost', 'tauri://localhost', 'chrome-extension://aaaabbbbccccddddeeeeffffgggghhhh']
const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }

// In production, as the benches are.
describe.each(shells)('an application shell at %s', (origin) => {
  const bench = createOAuthBench({ options: { http: { corsOrigins: shells } } })
  const headers = { origin, 'sec-fetch-site': 'cross-site' }

  test.each(['/graphql', '/graphql/stream', '/token'])('may call %s without cookies', async (path) => {
    const init = { method: 'OPTIONS', headers: { origin, ...preflight } }
    const before = await bench.server.fetch(new Request(`https://example.com${path}`, init))
    expect([before.status, before.headers.get('access-control-allow-origin')]).toEqual([204, origin])
    expect(before.headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('reads responses by its token', async () => {
    const { access_token: token } = await bench.give(await bench.signedIn())
    const asking = { ...headers, authorization: `Bearer ${token}` }
    const answer = await bench.visitor().ask('{ viewer { id } }', {}, asking)
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin])
  })

  test('cannot change data with a cookie, because every application shares the origin', async () => {
    const victim = await bench.signedIn('AUTHOR')
    for (const site of ['cross-site', 'same-site']) {
      const refused = await victim.ask('mutation { writeNote(text: "T") }', {}, { origin, 'sec-fetch-site': site })
      expect([...outcomeOf(refused), refused.headers.get('x-csrf-token')]).toEqual([403, 'CSRF_REJECTED', null])
      expect(refused.headers.get('access-control-allow-credentials')).toBeNull()
    }
    expect(outcomeOf(await victim.ask('{ viewer { id } }', {}, { origin }))).toEqual([403, 'CSRF_REJECTED'])
  })

  test.each(['SESSION', 'TOKEN', 'NATIVE'])('cannot sign in by password, %s', async (delivery) => {
    const { email } = await bench.insert()
    const refused = await bench.visitor().ask(signInMutation, { input: { email, password, delivery } }, headers)
    expect([...outcomeOf(refused), newCookies(refused)]).toEqual([403, 'CSRF_REJECTED', []])
  })
})

test('an unlisted application shell cannot read responses', async () => {
  const { server } = createBench({ options: { http: { corsOrigins: ['tauri://localhost'] } } })
  for (const origin of ['capacitor://localhost', 'tauri://other', 'tauri://localhost:1', 'TAURI://localhost', 'null']) {
    const init = { method: 'OPTIONS', headers: { origin, ...preflight } }
    const { status, headers } = await server.fetch(new Request('https://example.com/graphql', init))
    expect([status, headers.get('access-control-allow-origin')]).toEqual([403, null])
  }
})
