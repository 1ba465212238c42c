import { createPasskeys } from '@latchkey/passkeys'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { describe, expect, test } from 'vitest'
import { createBench, createMemoryStores } from '../support/bench.ts'
import { outcomeOf } from '../support/visitor.ts'

const all = { signIn: { totp: createTotp, passkeys: createPasskeys, recoveryCodes: createRecoveryCodes } }

function withoutDocuments() {
  const { documents: _documents, ...stores } = createMemoryStores()
  return stores
}

describe('createServer refuses', () => {
  test.each([
    ['an app without recovery codes', { signIn: { totp: createTotp } }, '"signIn.totp" needs "signIn.recoveryCodes"'],
    [
      'passkeys without recovery codes',
      { signIn: { passkeys: createPasskeys } },
      '"signIn.passkeys" needs "signIn.recoveryCodes"',
    ],
    [
      'recovery codes alone',
      { signIn: { recoveryCodes: createRecoveryCodes } },
      '"signIn.recoveryCodes" needs "signIn.totp" or "signIn.passkeys"',
    ],
    ['a factor without its store', { ...all, stores: withoutDocuments() }, '"stores.documents" is required'],
    [
      'an object in place of a function',
      { ...all, signIn: { ...all.signIn, totp: {} } },
      '"signIn.totp" must be a function',
    ],
    [
      'passkeys of an address',
      { ...all, baseUrl: 'https://10.0.0.7' },
      '"signIn.passkeys" needs a "baseUrl" with a domain',
    ],
  ])('%s', (_what, options, words) => {
    expect(() => createBench({ options: options as never })).toThrow(words)
  })
})

test('a server without second factors has no operations for them', async () => {
  const { visitor } = createBench()
  for (const query of ['{ factors { kind } }', 'mutation { startTotpEnrollment { secret } }']) {
    expect(outcomeOf(await visitor().ask(query))).toEqual([400, 'GRAPHQL_VALIDATION_FAILED'])
  }
})

test.each([
  [
    'apps',
    { signIn: { passkeys: undefined } },
    'mutation { startPasskeyRegistration { options } }',
    '{ factors { kind } }',
  ],
  ['passkeys', { signIn: { totp: undefined } }, 'mutation { startTotpEnrollment { secret } }', '{ passkeys { id } }'],
])('a server with %s alone has no operations for the other', async (_what, omitted, absent, present) => {
  const { visitor } = createBench({ options: { signIn: { ...all.signIn, ...omitted.signIn } } as never })
  expect(outcomeOf(await visitor().ask(absent))).toEqual([400, 'GRAPHQL_VALIDATION_FAILED'])
  expect(outcomeOf(await visitor().ask(present))).toEqual([401, 'UNAUTHENTICATED'])
})

interface Parts {
  totp?: Parameters<typeof createTotp>[0]
  passkeys?: Parameters<typeof createPasskeys>[0]
  recoveryCodes?: Parameters<typeof createRecoveryCodes>[0]
}

async function partsOf(options: object): Promise<Required<Parts>> {
  const parts: Parts = {}
  const bench = createBench({
    options: {
      signIn: {
        totp: (totp: Parameters<typeof createTotp>[0]) => {
          Object.assign(parts, { totp })
          return createTotp(totp)
        },
        passkeys: (passkeys: Parameters<typeof createPasskeys>[0]) => {
          Object.assign(parts, { passkeys })
          return createPasskeys(passkeys)
        },
        recoveryCodes: (recoveryCodes: Parameters<typeof createRecoveryCodes>[0]) => {
          Object.assign(parts, { recoveryCodes })
          return createRecoveryCodes(recoveryCodes)
        },
      },
      ...options,
    },
  })
  expect(parts).toEqual({})
  await bench.server.open()
  return parts as Required<Parts>
}

test('each factor gets its own secrets when the server opens', async () => {
  const { totp, passkeys, recoveryCodes } = await partsOf({})
  const bytes = [totp, passkeys, recoveryCodes].map(({ secrets }) => secrets[0].bytes.join())
  expect(new Set(bytes).size).toBe(3)
  expect(totp.issuer).toBe('example.com')
})

const development = { environment: 'development' } as const

test.each([
  [{ baseUrl: 'https://app.example.com' }, 'app.example.com', ['https://app.example.com'], []],
  [
    { baseUrl: 'https://example.com', http: { allowedOrigins: ['https://app.example.com', 'https://example.de'] } },
    'example.com',
    ['https://example.com', 'https://app.example.com'],
    ['https://example.de'],
  ],
  [
    { baseUrl: 'https://example.com', http: { allowedOrigins: ['http://localhost:4000'] }, ...development },
    'example.com',
    ['https://example.com'],
    [],
  ],
  [{ baseUrl: 'http://127.0.0.1:4000' }, 'localhost', ['http://localhost:4000'], []],
  [
    { baseUrl: 'http://127.0.0.1:4000', http: { allowedOrigins: ['http://localhost:4000', 'http://127.0.0.1:5000'] } },
    'localhost',
    ['http://localhost:4000'],
    [],
  ],
  [{ baseUrl: 'http://localhost:3000' }, 'localhost', ['http://localhost:3000'], []],
  [
    { baseUrl: 'https://notexample.com', http: { allowedOrigins: ['https://example.com'] } },
    'notexample.com',
    ['https://notexample.com'],
    ['https://example.com'],
  ],
])('passkeys with %j have the relying party of %s', async (options, id, origins, relatedOrigins) => {
  const { passkeys } = await partsOf(options)
  expect(passkeys.relyingParty).toEqual({ id, name: new URL(options.baseUrl).hostname, origins, relatedOrigins })
})
