import { setTimeout } from 'node:timers/promises'
import { useService } from '@latchkey/test-services'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cluster, startCluster } from './start-cluster.ts'

const postgres = useService('postgres')
const redis = useService('redis')
let cluster: Cluster | null = null
let balancer: Cluster['balancer']
let origins: Cluster['origins']

beforeAll(async () => {
  if (postgres === '' || redis === '') return
  cluster = await startCluster(postgres, redis)
  ;({ balancer, origins } = cluster)
})
afterAll(async () => {
  if (cluster) expect(await cluster.stop()).toEqual([0, null])
})

interface Answer {
  readonly status: number
  readonly cookie: string
  // biome-ignore lint/suspicious/noExplicitAny: its shape is what an operation selects
  readonly data: any
  readonly code: string | null
}

function post(url: string, query: string, headers: Record<string, string>): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  })
}

/** Sends an operation, again after a 503: on a busy machine the first connections take longer than a request waits. */
async function ask(origin: string, query: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await post(`${origin}/graphql`, query, headers)
  if (response.status === 503) return setTimeout(100).then(() => ask(origin, query, headers))
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const { data = null, errors = [] } = await response.json()
  return { status: response.status, cookie, data, code: errors[0]?.extensions.code ?? null }
}

async function signIn(origin: string, headers: Record<string, string> = {}) {
  const account = 'email: "ada@example.com", password: "otters read quietly at dawn", delivery: SESSION'
  const { status, cookie, data } = await ask(
    origin,
    `mutation { signIn(input: { ${account} }) { csrfToken } }`,
    headers,
  )
  expect(status).toBe(200)
  return { cookie, 'x-csrf-token': data.signIn.csrfToken }
}

const pidOf = async (origin: string): Promise<number> => (await ask(origin, '{ process }')).data.process

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a session of the first process is accepted by the second, and refused by the fourth once the third revokes it', async () => {
  const [first, second, third, fourth] = origins
  expect(new Set(await Promise.all(origins.map(pidOf))).size).toBe(4)

  const session = await signIn(first)
  expect(await ask(second, 'mutation { ring }', session)).toMatchObject({ data: { ring: await pidOf(second) } })
  expect(await ask(second, 'mutation { ring }')).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
  expect(await ask(fourth, '{ viewer { email } }', session)).toMatchObject({
    data: { viewer: { email: 'ada@example.com' } },
  })
  expect(await ask(third, 'mutation { signOut }', session)).toMatchObject({ data: { signOut: true } })
  expect(await ask(fourth, 'mutation { ring }', session)).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
})

test('a stream through the balancer has messages of every process, and stops when another process revokes its session', async () => {
  const session = await signIn(origins[0])
  const stream = await post(`${balancer}/graphql/stream`, 'subscription { rings }', {
    ...session,
    accept: 'text/event-stream',
  })
  let heard = ''
  const stopped = stream.body?.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({
      write(text) {
        heard += text
      },
    }),
  )
  for (const origin of origins) {
    const pid = await pidOf(origin)
    await expect
      .poll(async () => (await ask(origin, 'mutation { ring }', session)) && heard)
      .toContain(`{"data":{"rings":${pid}}}`)
  }
  await ask(origins[3], 'mutation { signOut }', session)
  await stopped
  expect(heard).toContain('UNAUTHENTICATED')
})

test('a service of which one process is killed answers all requests with the same session, and starts the process again', async () => {
  const session = await signIn(balancer)
  const killed = await pidOf(origins[1])
  process.kill(killed, 'SIGKILL')
  await expect.poll(() => isAlive(killed)).toBe(false)
  const answers = await Promise.all(origins.concat(origins).map(() => ask(balancer, 'mutation { ring }', session)))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(answers.map(({ data }) => data.ring)).not.toContain(killed)

  const answersAgain = async () => (await pidOf(origins[1]).catch(() => killed)) !== killed
  await expect.poll(answersAgain).toBe(true)
  expect(await ask(origins[1], 'mutation { ring }', session)).toMatchObject({ status: 200 })
})

test('wrong passwords at four processes count together, under the real address of the client, so the sixth is refused', async () => {
  const guess = 'mutation { signIn(input: { email: "grace@example.com", password: "wrong" }) { status } }'
  const codes: (string | null)[] = []
  for (let count = 0; count < 6; count++) {
    codes.push((await ask(balancer, guess, { 'x-forwarded-for': `203.0.113.${count}` })).code)
  }
  expect(codes).toEqual([...Array(5).fill('INVALID_CREDENTIALS'), 'RATE_LIMITED'])
})

test('a session behind the balancer has the real address of the client and a new request id, despite forged headers', async () => {
  const claims = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-host': 'other.example', 'x-request-id': 'mine' }
  const session = { ...(await signIn(balancer, claims)), ...claims }
  const response = await post(`${balancer}/graphql`, '{ sessions { current address } }', session)
  expect(response.headers.get('x-request-id')).toMatch(/^(?!mine)./)
  const { sessions } = (await response.json()).data
  expect(sessions).toContainEqual({ current: true, address: '127.0.0.1' })
})
