import { type ChildProcess, fork } from 'node:child_process'
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createPkcePair } from '@latchkey/oauth'
import { useService } from '@latchkey/test-services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPostgresDatabase } from '../postgres/postgres-database.ts'
import {
  type AuthorizationSettings,
  clientSecret,
  issuer,
  openStores,
  type Question,
  type Reply,
  redirectUri,
  scopes,
} from './authorization-process.ts'

// Who shows the same code or token many times at once, at several processes, is given one thing for it at most.

const shows = 50
const processes = 4
const rounds = process.env.TEST_TIER === '3' ? 50 : 3
const timeout = 180_000
const program = fileURLToPath(new URL('authorization-process.ts', import.meta.url))

class Processes {
  readonly #children: readonly ChildProcess[]
  constructor(settings: AuthorizationSettings) {
    const options = { execArgv: ['--conditions=@latchkey/source'] }
    this.#children = Array.from({ length: processes }, () => fork(program, [JSON.stringify(settings)], options))
  }
  async ready(): Promise<void> {
    await Promise.all(this.#children.map((child) => once(child, 'message')))
  }
  /** Sends all of them at once, each process every fourth one, and returns what they are answered. */
  async askAll(questions: readonly Question[]): Promise<readonly Reply[]> {
    const parts = this.#children.map((child, index) => {
      const part = questions.filter((_question, at) => at % processes === index)
      const answered = once(child, 'message')
      child.send(part)
      return answered
    })
    const answers: Reply[] = []
    for (const message of await Promise.all(parts)) {
      const [part] = message as [Reply[] | string]
      if (typeof part === 'string') throw new Error(part)
      answers.push(...part)
    }
    return answers
  }
  /** Asks one process. */
  async ask(question: Question, index = 0): Promise<Reply> {
    const child = this.#children[index]
    if (!child) throw new Error('no such process')
    const answered = once(child, 'message')
    child.send([question])
    const [[reply]] = (await answered) as [[Reply]]
    return reply
  }
  async close(): Promise<void> {
    const ended = this.#children.map((child) => once(child, 'exit'))
    for (const child of this.#children) child.disconnect()
    await Promise.all(ended)
  }
}

const client = { client_id: 'web', client_secret: clientSecret }

describe.each(['PostgreSQL', 'PostgreSQL with records in Redis'])('four processes on %s', (backend) => {
  const postgres = useService('postgres')
  const redis = backend === 'PostgreSQL' ? null : useService('redis')
  let stores: ReturnType<typeof openStores> | undefined
  let four: Processes | undefined
  const all = (): Processes => {
    if (!four) throw new Error('the processes are not there')
    return four
  }

  beforeAll(async () => {
    if (postgres === '' || redis === '') return
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key = { id: 'k1', algorithm: 'ES256', jwk: privateKey.export({ format: 'jwk' }) }
    const settings = {
      postgresUrl: await createPostgresDatabase(postgres),
      redisUrl: redis,
      secret: randomBytes(32).toString('hex'),
      key: key as AuthorizationSettings['key'],
    }
    stores = openStores(settings)
    await stores.migrate()
    four = new Processes(settings)
    await four.ready()
  }, timeout)
  afterAll(async () => {
    await four?.close()
    await stores?.close()
  })

  /** A browser in which an account of its own is signed in, and its request that waits for a consent. */
  async function askForConsent() {
    const account = `acc_${randomUUID()}`
    const { verifier, challenge } = createPkcePair()
    const asked = {
      ...{ response_type: 'code', client_id: 'web', redirect_uri: redirectUri, scope: scopes.join(' ') },
      ...{ state: 's', code_challenge: challenge, code_challenge_method: 'S256' },
    }
    const headers = { 'x-account': account }
    const question = { graceSeconds: 60, path: `/authorize?${new URLSearchParams(asked)}`, headers }
    const { location, cookies } = await all().ask(question)
    const cookie = cookies.map((line) => line.split(';', 1)[0]).join('; ')
    return { account, verifier, question: { graceSeconds: 60, path: location ?? '', headers: { ...headers, cookie } } }
  }

  /** The form that redeems a code which an account has allowed. */
  async function giveCode() {
    const { account, verifier, question } = await askForConsent()
    const { location } = await all().ask({ ...question, decision: 'allow' }, 1)
    const code = new URL(location ?? issuer).searchParams.get('code') ?? ''
    expect(code).toMatch(/^ac_/)
    const form = {
      ...client,
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    }
    return { account, form }
  }

  const token = (form: Readonly<Record<string, string>>, graceSeconds = 60): Question => ({
    ...{ graceSeconds, path: '/token', form },
  })
  const refreshing = (refreshToken = '', graceSeconds = 60): Question =>
    token({ ...client, grant_type: 'refresh_token', refresh_token: refreshToken }, graceSeconds)
  const showAll = (question: Question) => all().askAll(Array.from({ length: shows }, () => question))

  /** What all four processes say of tokens: at the user's claims, to the client, and when they are to be refreshed. */
  async function opens({ access_token: access = '', refresh_token: refresh = '' }: Reply['body']) {
    const said = { userinfo: [] as number[], active: [] as unknown[], refreshed: [] as number[] }
    for (let index = 0; index < processes; index++) {
      const headers = { authorization: `Bearer ${access}` }
      said.userinfo.push((await all().ask({ graceSeconds: 0, path: '/userinfo', headers }, index)).status)
      for (const shown of [access, refresh]) {
        const form = { ...client, token: shown }
        said.active.push((await all().ask({ graceSeconds: 0, path: '/introspect', form }, index)).body.active)
      }
      said.refreshed.push((await all().ask(refreshing(refresh, 0), index)).status)
    }
    return said
  }

  const nothing = { userinfo: [401, 401, 401, 401], active: Array(8).fill(false), refreshed: [400, 400, 400, 400] }

  async function families(account: string) {
    const { items } = (await stores?.records.listByOwner(account)) ?? { items: [] }
    return items.filter(({ key }) => key.startsWith('rt_'))
  }

  test(
    `one code × ${shows} has at most one winner, and none of its tokens works afterwards`,
    async () => {
      for (let round = 0; round < rounds; round++) {
        const { account, form } = await giveCode()
        const answers = await showAll(token(form))
        const won = answers.filter(({ status }) => status === 200)
        expect(won.length).toBeLessThanOrEqual(1)
        const refused = answers.filter(({ status }) => status !== 200)
        expect(new Set(refused.map(({ status, body }) => `${status} ${body.error}`))).toEqual(
          new Set(['400 invalid_grant']),
        )
        for (const { body } of won) expect(await opens(body)).toEqual(nothing)
        expect(await families(account)).toEqual([])
      }
    },
    timeout,
  )

  test(
    'a redeemed code that is shown again to the other processes revokes its tokens',
    async () => {
      const { account, form } = await giveCode()
      const { status, body } = await all().ask(token(form))
      expect(status).toBe(200)
      expect(
        (
          await all().ask(
            { graceSeconds: 60, path: '/userinfo', headers: { authorization: `Bearer ${body.access_token}` } },
            2,
          )
        ).status,
      ).toBe(200)
      const answers = await showAll(token(form))
      expect(new Set(answers.map((one) => `${one.status} ${one.body.error}`))).toEqual(new Set(['400 invalid_grant']))
      expect(await opens(body)).toEqual(nothing)
      expect(await families(account)).toEqual([])
    },
    timeout,
  )

  test(
    `one refresh token × ${shows} has one successor with a grace, which every process accepts`,
    async () => {
      for (let round = 0; round < rounds; round++) {
        const { account, form } = await giveCode()
        const first = (await all().ask(token(form))).body
        // As long a grace as there may be: whatever the machine does, all of them come within it.
        const answers = await showAll(refreshing(first.refresh_token))
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
        const successors = new Set(answers.map(({ body }) => body.refresh_token))
        expect(successors.size).toBe(1)
        expect(successors).not.toContain(first.refresh_token)
        expect(await families(account)).toHaveLength(1)
        let newest = [...successors][0]
        for (let index = 0; index < processes; index++) {
          const next = await all().ask(refreshing(newest), index)
          expect(next.status).toBe(200)
          newest = next.body.refresh_token
        }
      }
    },
    timeout,
  )

  test(
    `one refresh token × ${shows} has exactly one winner without a grace, and its copies end all`,
    async () => {
      for (let round = 0; round < rounds; round++) {
        const { account, form } = await giveCode()
        const first = (await all().ask(token(form))).body
        const answers = await showAll(refreshing(first.refresh_token, 0))
        const won = answers.filter(({ status }) => status === 200)
        expect(won).toHaveLength(1)
        const refused = answers.filter(({ status }) => status !== 200)
        expect(new Set(refused.map(({ status, body }) => `${status} ${body.error}`))).toEqual(
          new Set(['400 invalid_grant']),
        )
        for (const body of [first, won[0]?.body ?? {}]) expect(await opens(body)).toEqual(nothing)
        expect(await families(account)).toEqual([])
      }
    },
    timeout,
  )

  test(
    `one consent × ${shows}, allowed and denied, has one answer, and only an allowed consent is stored`,
    async () => {
      for (let round = 0; round < rounds; round++) {
        const { account, question } = await askForConsent()
        const decisions = Array.from({ length: shows }, (_none, index) => (index % 2 === round % 2 ? 'allow' : 'deny'))
        const answers = await all().askAll(decisions.map((decision) => ({ ...question, decision }) as Question))
        const won = answers.filter(({ status }) => status === 303)
        expect(won).toHaveLength(1)
        const isAllowed = new URL(won[0]?.location ?? issuer).searchParams.has('code')
        expect((await stores?.durable.documents.listByOwner(account))?.items).toHaveLength(isAllowed ? 1 : 0)
      }
    },
    timeout,
  )

  test(
    `one pushed request × ${shows} is used once`,
    async () => {
      const { challenge } = createPkcePair()
      const asked = { response_type: 'code', redirect_uri: redirectUri, scope: 'openid', code_challenge: challenge }
      const form = { ...client, ...asked, code_challenge_method: 'S256', prompt: 'none' }
      const { body } = await all().ask({ graceSeconds: 60, path: '/par', form })
      const query = new URLSearchParams({ client_id: 'web', request_uri: body.request_uri ?? '' })
      const answers = await showAll({ graceSeconds: 60, path: `/authorize?${query}` })
      expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
      expect(answers.filter(({ status, location }) => status === 400 && location === null)).toHaveLength(shows - 1)
    },
    timeout,
  )
})
