import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPasswordPolicy } from '@latchkey/password'
import type { ServerEvent } from '@latchkey/server'
import { createTestServer } from '@latchkey/server/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createBench, newPassword, password } from '../support/bench.ts'

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase()

/** A service that knows one password, on this machine; and what was asked of it. */
async function startBreachService(
  answer: (request: IncomingMessage, response: ServerResponse) => void = answerRange,
): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/range/`, asked }
}

function answerRange({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const digest = sha1(newPassword)
  const known = url.endsWith(digest.slice(0, 5)) ? `${digest.slice(5)}:7` : `${sha1(url).slice(5)}:0`
  response.end(known)
}

const signUp = `mutation ($email: String!, $password: String!) {
  signUp(input: { email: $email, password: $password, name: "A Reader" }) { accepted }
}`
const person = { email: 'ada@example.com', password: newPassword }
const failures = (events: readonly ServerEvent[]) => events.filter(({ type }) => type === 'breach-check.failed')

describe('a breached password', () => {
  test('is refused as a new password, and the account stays unchanged', async () => {
    const { url, asked } = await startBreachService()
    const bench = createBench({
      options: { signIn: { breachedPasswords: { whenUnavailable: 'refuse', url, cacheLimit: 0 } } },
    })
    const visitor = await bench.signedIn()
    const before = await bench.stores.accounts.get(visitor.account.id)

    const attempts: readonly [query: string, variables: object, field: string][] = [
      [signUp, person, 'input.password'],
      [signUp, { ...person, email: visitor.account.email }, 'input.password'],
      [
        'mutation ($t: String!, $p: String!) { changePassword(input: { currentPassword: $t, newPassword: $p }) }',
        { t: password, p: newPassword },
        'input.newPassword',
      ],
    ]
    for (const [query, variables, field] of attempts) {
      const { errors } = await visitor.ask(query, variables as Record<string, unknown>)
      expect(errors).toMatchObject([
        {
          message: 'This password appeared in a data breach. Choose another.',
          extensions: { code: 'BAD_USER_INPUT', field },
        },
      ])
    }

    await bench.visitor().ask('mutation ($e: String!) { requestPasswordReset(input: { email: $e }) }', {
      e: visitor.account.email,
    })
    const token = await bench.mailedToken(visitor.account.email)
    const reset = 'mutation ($t: String!, $p: String!) { resetPassword(input: { token: $t, newPassword: $p }) }'
    expect((await bench.visitor().ask(reset, { t: token, p: newPassword })).errors).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT', field: 'input.newPassword' } },
    ])
    expect(await bench.stores.accounts.get(visitor.account.id)).toEqual(before)
    // The link is as it was.
    expect((await bench.visitor().ask(reset, { t: token, p: 'otters hum in seven kettles' })).errors).toEqual([])

    // The same for a known and an unknown address; five digits, and nothing at a sign-in.
    const range = `/range/${sha1(newPassword).slice(0, 5)}`
    expect(asked).toEqual([range, range, range, range, `/range/${sha1('otters hum in seven kettles').slice(0, 5)}`])
    expect(failures(bench.events)).toEqual([])
    await bench.server.close()
  })

  test('is refused for accounts that an administrator or a command creates', async () => {
    const { url } = await startBreachService()
    const bench = createBench({ options: { signIn: { breachedPasswords: { whenUnavailable: 'refuse', url } } } })
    const accounts = await bench.server.accounts()
    const attempt = { address: null, device: null, channel: 'command', requestId: null, locale: null } as never
    await expect(accounts.create({ ...person, name: 'Ada', roles: ['READER'], attempt })).rejects.toMatchObject({
      code: 'PASSWORD_REJECTED',
      reason: 'breached',
    })
    expect(await accounts.findByEmail(person.email)).toBeNull()
    await bench.server.close()
  })
})

describe('an unavailable breach service', () => {
  const hanging = () => null
  const failing = (_request: IncomingMessage, response: ServerResponse) => void response.writeHead(500).end('no')
  const talking = (_request: IncomingMessage, response: ServerResponse) => void response.end('<html>')

  test.each([
    ['hangs', hanging],
    ['fails', failing],
    ['says something else', talking],
  ])('which %s, leads to the configured verdict on the password and to an event', async (_, answer) => {
    const { url } = await startBreachService(answer)
    for (const whenUnavailable of ['accept', 'refuse'] as const) {
      const bench = createBench({
        options: { signIn: { breachedPasswords: { whenUnavailable, url, deadlineMs: 100 } } },
      })
      const { data, errors } = await bench.visitor().ask(signUp, person)
      if (whenUnavailable === 'accept') expect(data).toEqual({ signUp: { accepted: true } })
      else {
        expect(errors).toMatchObject([
          {
            message: 'This password cannot be checked right now. Try again later.',
            extensions: { code: 'BAD_USER_INPUT' },
          },
        ])
      }
      const events = failures(bench.events)
      expect(events).toMatchObject([
        { type: 'breach-check.failed', accepted: whenUnavailable === 'accept', at: bench.clock.time },
      ])
      expect(JSON.stringify(events)).not.toContain(sha1(newPassword).slice(0, 5))
      await bench.server.close()
      if (whenUnavailable === 'refuse') expect(bench.outbox).toEqual([])
    }
  })
})

test('a test server looks up no password', async () => {
  const { url, asked } = await startBreachService()
  const bench = createBench({ options: { signIn: { breachedPasswords: { whenUnavailable: 'refuse', url } } } })
  const { visitor, close } = await createTestServer(bench.server)
  expect((await visitor().graphql(signUp, person)).data).toEqual({ signUp: { accepted: true } })
  expect(asked).toEqual([])
  await close()
})

describe('the option', () => {
  test.each<[message: string, options: object]>([
    ['"whenUnavailable" must be', { signIn: { breachedPasswords: {} } }],
    ['"whenUnavailable" must be', { signIn: { breachedPasswords: { whenUnavailable: 'ignore' } } }],
    [
      '"url" must be',
      { signIn: { breachedPasswords: { whenUnavailable: 'accept', url: 'http://breaches.example/' } } },
    ],
    ['"deadlineMs"', { signIn: { breachedPasswords: { whenUnavailable: 'accept', deadlineMs: 0 } } }],
    [
      'createServer has no option "signIn.breachedPasswords.onEvents"',
      { signIn: { breachedPasswords: { whenUnavailable: 'accept', onEvents: 1 } } },
    ],
    ['"signIn.breachedPasswords"', { signIn: { breachedPasswords: true } }],
    [
      '"signIn.breachedPasswords": give "signIn.passwordPolicy" a "breachCheck"',
      { signIn: { breachedPasswords: { whenUnavailable: 'accept' }, passwordPolicy: createPasswordPolicy() } },
    ],
  ])('is checked when the server is created: %s', (message, options) => {
    expect(() => createBench({ options })).toThrow(TypeError)
    expect(() => createBench({ options })).toThrow(message)
  })
})
