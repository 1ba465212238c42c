import { createPasskeys } from '@latchkey/passkeys'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { describe, expect, test } from 'vitest'
import { createFactorBench, okData, operations, showPasskey } from '../support/factor-bench.ts'
import { type Answer, createVisitor, newCookies, outcomeOf, type Visitor } from '../support/visitor.ts'

/** The authenticator as it answers a page of this origin. */
function at(origin: string, { create, get }: SoftwareAuthenticator): SoftwareAuthenticator {
  return {
    create: (options, defects) => create(options, { origin, ...defects }),
    get: (options, defects) => get(options, { origin, ...defects }),
  } as SoftwareAuthenticator
}

async function addPasskey(visitor: Visitor, authenticator: SoftwareAuthenticator): Promise<Answer> {
  const { options } = okData(await visitor.ask(operations.register)).startPasskeyRegistration
  const response = JSON.stringify(await authenticator.create(JSON.parse(options)))
  return visitor.ask(operations.registered, { input: { name: 'Laptop', response } })
}

describe('behind a proxy of a development server at another port', () => {
  const [service, vite] = ['http://localhost:4000', 'http://localhost:5173']

  /** Signs in by a passkey at the page of the development server. */
  async function visit(http: object, target = vite) {
    const bench = createFactorBench({ options: { baseUrl: service, http } })
    const authenticator = createSoftwareAuthenticator({ origin: service })
    okData(await addPasskey(await bench.signedIn(), authenticator))
    const page = createVisitor(bench.server, target)
    page.headers = { origin: vite, 'sec-fetch-site': 'same-origin' }
    const hello = await page.ask('{ hello }')
    if (hello.status !== 200) return { bench, answer: hello }
    return { bench, answer: await showPasskey(page, at(vite, authenticator)) }
  }

  test('a page of allowedOrigins signs in by a passkey', async () => {
    const { answer } = await visit({ allowedOrigins: [vite] })
    expect([...outcomeOf(answer), newCookies(answer).length > 0]).toEqual([200, null, true])
  })

  test.each([
    ['the host is in allowedHosts alone', { allowedHosts: ['localhost:5173'] }, vite],
    ['the proxy sets Host to the service', {}, service],
  ])('a passkey is INVALID_CREDENTIALS if %s, and the event names origin and setting', async (_how, http, target) => {
    const { bench, answer } = await visit(http, target)
    expect([...outcomeOf(answer), newCookies(answer)]).toEqual([401, 'INVALID_CREDENTIALS', []])
    const event = { origin: vite, check: 'passkey', setting: 'http.allowedOrigins' }
    expect(bench.events.filter(({ type }) => type === 'origin.refused')).toMatchObject([event])
  })

  test('a request that keeps Host is 421 if the origin is in no list, and the message names baseUrl and allowedOrigins', async () => {
    const { answer } = await visit({})
    expect(outcomeOf(answer)).toEqual([421, 'MISDIRECTED_REQUEST'])
    expect(answer.text).toContain('set baseUrl to that origin, or add it to http.allowedOrigins')
  })
})

describe('passkeys of a common domain', () => {
  const [api, app, unlisted] = ['https://api.example.com', 'https://app.example.com', 'https://www.example.com']
  const relyingParty = { id: 'example.com', name: 'Example', origins: [api, app] } as const

  function open() {
    const passkeys = (parts: Parameters<typeof createPasskeys>[0]) => createPasskeys({ ...parts, relyingParty })
    const options = { baseUrl: api, http: { allowedOrigins: [app] }, signIn: { passkeys } }
    const bench = createFactorBench({ options })
    return { bench, authenticator: createSoftwareAuthenticator({ origin: api }) }
  }

  test.each([
    [api, app],
    [app, api],
  ])('a passkey that was added at %s signs in at %s', async (first, second) => {
    const { bench, authenticator } = open()
    const owner = await bench.signedIn()
    okData(await addPasskey(owner, at(first, authenticator)))
    const visitor = bench.visitor()
    const answer = await showPasskey(visitor, at(second, authenticator))
    expect(outcomeOf(answer)).toEqual([200, null])
    expect(okData(await visitor.ask('{ viewer { id } }')).viewer.id).toBe(owner.account.id)
  })

  test('a passkey is added and shown at no other origin of the domain', async () => {
    const { bench, authenticator } = open()
    const owner = await bench.signedIn()
    expect(outcomeOf(await addPasskey(owner, at(unlisted, authenticator)))).toEqual([403, 'INVALID_CREDENTIALS'])
    okData(await addPasskey(owner, at(app, authenticator)))
    const answer = await showPasskey(bench.visitor(), at(unlisted, authenticator))
    expect([...outcomeOf(answer), newCookies(answer)]).toEqual([401, 'INVALID_CREDENTIALS', []])
  })
})
