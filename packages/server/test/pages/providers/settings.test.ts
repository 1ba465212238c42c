import { describe, expect, test } from 'vitest'
import { createBench, createMemoryStores } from '../../support/bench.ts'
import { createFakeProvider } from '../../support/providers/fake-provider.ts'
import { createProviderBench } from '../../support/providers/provider-bench.ts'

const stores = createMemoryStores()
const client = createFakeProvider({
  name: 'one',
  records: stores.records,
  secrets: [{ id: 'a', bytes: new Uint8Array(32) }],
  now: Date.now,
}).client
const create = (providers: object) => () => createBench({ options: { signIn: { providers: providers as never } } })

describe('providers that', () => {
  test('have their own name on the pages, unless the option has another', async () => {
    const bench = createProviderBench()
    const page = await bench.visitor().get('/sign-in')
    expect(page.text.match(/Sign in with [^<]+/g)).toEqual(['Sign in with One', 'Sign in with two'])
  })

  test.each(['constructor', 'tostring'])('are named "%s" are called by that name', async (name) => {
    const redirectUri = `https://example.com/sign-in/with/${name}/callback`
    const bench = createBench({
      options: { signIn: { providers: { clients: { [name]: { ...client, redirectUri } } } as never } },
    })
    expect((await bench.visitor().get('/sign-in')).text).toContain(`Sign in with ${name}`)
  })

  test('redirect browsers elsewhere are refused when the server is created, with the URL to register', () => {
    expect(create({ clients: { google: client } })).toThrow(
      '"signIn.providers.clients.google" must have the "redirectUri" https://example.com/sign-in/with/google/callback, which is registered at the provider as well',
    )
  })

  test.each([
    ['One', '"signIn.providers.clients": "One" must be 1 to 32 lower-case letters'],
    [
      'one-',
      '"signIn.providers.clients": "one-" must be 1 to 32 lower-case letters and digits, with hyphens between them',
    ],
    ['a/b', '"signIn.providers.clients": "a/b" must be'],
    ['', '"signIn.providers.clients": "" must be'],
  ])('have the name "%s" are refused', (name, message) => {
    expect(create({ clients: { [name]: client } })).toThrow(message)
  })

  test.each([
    ['are no clients', { clients: { one: {} } }, '"signIn.providers.clients.one" must be what createOAuthClient'],
    [
      'have a label without a client',
      { clients: { one: client }, labels: { two: 'Two' } },
      '"signIn.providers.labels.two"',
    ],
    ['have a label that is none', { clients: { one: client }, labels: { one: '' } }, '"signIn.providers.labels.one"'],
    ['have another option', { client }, 'createServer has no option "signIn.providers.client"'],
  ])('%s are refused', (_what, providers, message) => {
    expect(create(providers)).toThrow(message)
  })
})

test.each(['/account/providers', '/confirm-provider', '/sign-in/with/one/callback'])(
  'without clients there is no %s',
  async (path) => {
    expect(
      (
        await createBench({ options: { signIn: { providers: {} } } })
          .visitor()
          .get(path)
      ).status,
    ).toBe(404)
  },
)
