import { randomBytes, randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Server } from '@latchkey/server'
import { median, startStopwatch, useService } from '@latchkey/test-services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServerEnvironment } from '../support/server-environment.ts'
import { temporaryDirectory } from '../support/start-quickstart.ts'
import { createService, openStores, origin, passwords } from './link-process.ts'

// How soon an answer comes shows no more than its bytes do. Hashes are as many in each case; packages/password measures that
// they take the same time, so these here are the weakest, beside which everything else shows.

const isLong = process.env.TEST_TIER === '3'
const pairs = isLong ? 200 : 5
const timeout = 900_000
const password = 'otters read quietly at dawn'
const passwordHash = await passwords.hash(password)
let drawn = 0
/** Each as long as any other. */
const drawAddress = (): string => `someone-${String(++drawn).padStart(6, '0')}@example.com`

interface Asked {
  readonly path: string
  readonly body: string | URLSearchParams
}

const operation = (query: string, input: object): Asked => ({
  path: '/graphql',
  body: JSON.stringify({ query, variables: { input } }),
})
const form = (path: string, fields: Readonly<Record<string, string>>): Asked => ({
  path,
  body: new URLSearchParams(fields),
})

/** What is asked with an address. */
type Ask = (email: string) => Asked

const queries = {
  signUp: 'mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }',
  signIn: 'mutation ($input: SignInInput!) { signIn(input: $input) { accessToken } }',
  requestCode: 'mutation ($input: RequestSignInCodeInput!) { requestSignInCode(input: $input) { accepted } }',
  showCode: 'mutation ($input: SignInWithCodeInput!) { signInWithCode(input: $input) { status } }',
  reset: 'mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }',
  change: 'mutation ($input: RequestEmailChangeInput!) { requestEmailChange(input: $input) }',
}
const wrong = 'otters sing loudly at noon'
const code = '00000000'
const askForCode: Ask = (email) => operation(queries.requestCode, { email })

const requests: readonly (readonly [string, Ask, first?: Ask])[] = [
  ['sign-up, as an operation', (email) => operation(queries.signUp, { email, password, name: 'Ada' })],
  ['sign-up, on its page', (email) => form('/sign-up', { email, password, name: 'Ada' })],
  ['refused sign-in, as an operation', (email) => operation(queries.signIn, { email, password: wrong })],
  ['refused sign-in, on its page', (email) => form('/sign-in', { email, password: wrong })],
  ['request for a code of a mail, as an operation', askForCode],
  ['request for a code of a mail, on its page', (email) => form('/sign-in-code', { email })],
  ['wrong code of a mail, as an operation', (email) => operation(queries.showCode, { email, code }), askForCode],
  ['wrong code of a mail, on its page', (email) => form('/sign-in-code', { email, code }), askForCode],
  ['request for a new password, as an operation', (email) => operation(queries.reset, { email })],
  ['request for a new password, on its page', (email) => form('/reset', { email })],
  ['change of address, as an operation', (newEmail) => operation(queries.change, { newEmail })],
  ['change of address, on its page', (email) => form('/account/email', { email })],
]

const cookiesOf = ({ headers }: Response): { readonly cookie: string } => ({
  cookie: headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; '),
})

describe.each(['SQLite', 'PostgreSQL'])('on %s', (backend) => {
  const postgres = useService('postgres')
  let opened: ReturnType<typeof openStores> | undefined
  let server: Server | undefined
  let folder: string | undefined

  beforeAll(async () => {
    if (postgres === '') return
    folder = await temporaryDirectory()
    const { DATABASE_URL = '' } = await createServerEnvironment(postgres)
    opened = openStores({ database: backend === 'SQLite' ? join(folder, 'app.db') : DATABASE_URL, redisUrl: null })
    await opened.stores.migrate()
    const secret = randomBytes(32).toString('hex')
    // What follows an answer begins at a random moment, as it does in a service.
    const parts = { secret, undoDays: 7, mailer: { send: async () => undefined }, mailDelayMs: 20 }
    server = createService(opened.stores, parts)
  }, timeout)
  afterAll(async () => {
    await server?.close()
    await opened?.close()
    if (folder) rmSync(folder, { recursive: true })
  })

  function running() {
    if (!opened || !server) throw new Error('the service is not there')
    return { stores: opened.stores, server }
  }

  async function insert(): Promise<string> {
    const email = drawAddress()
    const account = { id: `acc_${randomUUID()}`, email, name: 'Ada', roles: ['READER'], passwordHash, epoch: 0 }
    await running().stores.accounts.insert({ ...account, status: 'active' })
    return email
  }

  function send({ path, body }: Asked, credentials: Readonly<Record<string, string>> = {}): Promise<Response> {
    const isForm = typeof body !== 'string'
    const own = { origin, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    const json = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }
    const headers = { ...(isForm ? own : json), ...credentials }
    return running().server.fetch(new Request(`${origin}${path}`, { method: 'POST', body, headers }))
  }

  /** What is sent along by an account that has just signed in, for an operation and for a form. */
  async function signIn(asked: Asked): Promise<Readonly<Record<string, string>>> {
    const email = await insert()
    const delivery = typeof asked.body === 'string' ? 'TOKEN' : 'SESSION'
    const response = await send(operation(queries.signIn, { email, password, delivery }))
    const { data } = (await response.json()) as { readonly data: { readonly signIn: { readonly accessToken: string } } }
    return delivery === 'TOKEN' ? { authorization: `Bearer ${data.signIn.accessToken}` } : cookiesOf(response)
  }

  /** What is sent along by who has signed in, where that is needed, or has asked for something with that address before. */
  async function begin(asked: Asked, first: Asked | null): Promise<Readonly<Record<string, string>>> {
    if (first) return cookiesOf(await send(first))
    // Each is the first that its account asks for.
    return /requestEmailChange|account.email/.test(`${asked.path}${asked.body}`) ? signIn(asked) : {}
  }

  /** The answer without what chance has drawn and what was typed, and how long it took. */
  async function measure(asked: Asked, email: string, first: Asked | null) {
    const credentials = await begin(asked, first)
    await (await running().server.accounts()).settled()
    // Each comes after the same write: a database that has just written is sooner with the next one.
    await insert()
    const elapsed = startStopwatch(0)
    const response = await send(asked, credentials)
    const text = await response.text()
    const ms = elapsed()
    return { shown: `${response.status} ${text.replaceAll(email, '').replace(/nonce="[^"]*"/, '')}`, ms }
  }

  test.each(requests.map(([what, ask, first = null]) => [what, ask, first] as const))(
    `the answers to a %s are the same, and in the long mode the medians of 200 within 1 ms, whether or not the address has an account`,
    async (what, ask, first) => {
      const times = { known: [] as number[], unknown: [] as number[] }
      const measureOne = async (which: keyof typeof times): Promise<string> => {
        const email = which === 'known' ? await insert() : drawAddress()
        const { shown, ms } = await measure(ask(email), email, first?.(email) ?? null)
        times[which].push(ms)
        return shown
      }
      const shown = new Set<string>()
      // The first ones compile.
      for (let nth = -20; nth < pairs; nth++) {
        if (nth === 0) for (const which of ['known', 'unknown'] as const) times[which].length = 0
        const [first, second] = nth % 2 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)
        shown.add(await measureOne(first)).add(await measureOne(second))
      }
      expect([...shown]).toHaveLength(1)
      const [known, unknown] = [median(times.known), median(times.unknown)]
      process.stdout.write(`  ${backend}: ${what}: ${known.toFixed(2)} ms known, ${unknown.toFixed(2)} ms unknown\n`)
      if (isLong) expect(Math.abs(known - unknown)).toBeLessThan(1)
    },
    timeout,
  )
})
