import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Message } from '@latchkey/accounts'
import type { Server } from '@latchkey/server'
import { startMariadb } from '@latchkey/test-services'
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createMariadbStores } from '../src/mariadb-stores.ts'
import { createService } from '../src/service.ts'

const database = await startMariadb()
const folder = mkdtempSync(join(tmpdir(), 'latchkey-service-'))
afterAll(async () => {
  await database?.stop()
  rmSync(folder, { recursive: true })
})
beforeEach(({ skip }) => skip(database === null, 'MariaDB is not installed'))

const [email, password] = ['ada@example.com', 'otters read quietly at night']
const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }'
const verifyEmail = 'mutation ($input: VerifyEmailInput!) { verifyEmail(input: $input) }'
const signIn = 'mutation ($input: SignInInput!) { signIn(input: $input) { accessToken } }'

/** One process of the service: its stores, and the mails that it sent. */
async function open() {
  const outbox: Message[] = []
  const stores = createMariadbStores({ url: database?.url ?? '', deadlineMs: 10_000 })
  const server = createService(stores, {
    secretPath: join(folder, 'secret.key'),
    mailer: { send: async (message) => void outbox.push(message) },
  })
  await server.open({ migrate: true })
  onTestFinished(() => server.close())
  return { stores, outbox, server }
}

/** Sends an operation of the service's own page, with the cookies and the token that it has got so far. */
function createPage() {
  const cookies = new Map<string, string>()
  let bearer = ''
  return async (server: Server, query: string, variables: object = {}) => {
    const headers = {
      'content-type': 'application/json',
      origin: server.baseUrl,
      'sec-fetch-site': 'same-origin',
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(bearer && { authorization: `Bearer ${bearer}` }),
    }
    const body = JSON.stringify({ query, variables })
    const response = await server.fetch(new Request(`${server.baseUrl}/graphql`, { method: 'POST', headers, body }))
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const { data, errors } = await response.json()
    bearer = (data?.signIn ?? data?.refresh)?.accessToken ?? bearer
    return errors?.[0]?.extensions.code ?? data
  }
}

test('a service on MariaDB signs up, in and out, over two servers, and audits it', async () => {
  const [first, second] = [await open(), await open()]
  const ask = createPage()
  expect(await ask(first.server, signUp, { input: { email, password, name: 'Ada' } })).toMatchObject({
    signUp: { accepted: true },
  })
  await (await first.server.accounts()).settled()
  const token = /token=([^\s&#]+)/.exec(first.outbox[0]?.text ?? '')?.[1]
  expect(await ask(second.server, verifyEmail, { input: { token, password } })).toEqual({ verifyEmail: true })

  expect(await ask(second.server, signIn, { input: { email, password: `not ${password}`, delivery: 'TOKEN' } })).toBe(
    'INVALID_CREDENTIALS',
  )
  await ask(second.server, signIn, { input: { email, password, delivery: 'TOKEN' } })
  for (const { server } of [first, second]) expect(await ask(server, '{ hello }')).toEqual({ hello: 'Hello.' })
  expect(await ask(first.server, 'mutation { refresh { accessToken } }')).toMatchObject({ refresh: {} })
  expect(await ask(second.server, '{ hello }')).toEqual({ hello: 'Hello.' })

  await ask(first.server, 'mutation { signOut }')
  for (const { server } of [first, second]) expect(await ask(server, '{ hello }')).toBe('UNAUTHENTICATED')
  const account = await first.stores.accounts.getByEmail(email)
  const { items } = await second.stores.audit.list({ accountId: account?.id ?? '' })
  expect(items.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['account.created', 'email.verified', 'sign-in.failed', 'session.created', 'session.ended']),
  )
})
