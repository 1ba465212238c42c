import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { allowNativeDelivery } from '@latchkey/accounts'
import { randomToken } from '@latchkey/bytes'
import { beforeAll, expect, test } from 'vitest'
import { type Bench, createBench } from '../support/bench.ts'

const isLong = process.env.TEST_TIER === '3'
const requests = isLong ? 5_000_000 : 2_000
const patience = isLong ? 3_600_000 : 600_000

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heapInMegabytes(): number {
  collect()
  return process.memoryUsage().heapUsed / 1_000_000
}

let bench: Bench
beforeAll(() => {
  bench = createBench({
    options: { sessions: { nativeDelivery: allowNativeDelivery }, observe: { onEvent: () => undefined } },
  })
})

const viewer = '{ viewer { id } }'
const refresh = 'mutation { refresh { accessToken } }'
const signature = () => `${randomToken(16)}.${randomToken(24)}.${randomToken(32)}`

/** Where a client may show an id that the service has not given out, and how it is refused. */
const places: readonly (readonly [query: string, headers: () => Record<string, string>, status: number])[] = [
  [viewer, () => ({ cookie: `__Host-session=${randomToken(32)}` }), 401],
  [viewer, () => ({ cookie: `__Host-session=ses_${randomToken(16)}.${randomToken(32)}` }), 401],
  [viewer, () => ({ authorization: `Bearer ${signature()}` }), 401],
  [refresh, () => ({ cookie: `__Host-refresh=${randomToken(32)}` }), 401],
  ['{ hello }', () => ({ cookie: `__Host-device=a.${randomToken(16)}.1900000000.${randomToken(16)}` }), 200],
]

async function showRandom(index: number): Promise<void> {
  const [query, headers, status] = places[index % places.length] ?? [viewer, () => ({}), 401]
  const response = await bench.server.fetch(
    new Request('https://example.com/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers() },
      body: JSON.stringify({ query }),
    }),
  )
  await response.arrayBuffer()
  if (response.status !== status) throw new Error(`${query} was answered ${response.status}`)
}

async function showMany(count: number): Promise<void> {
  for (let index = 0; index < count; index += 20) {
    await Promise.all(Array.from({ length: 20 }, (_none, further) => showRandom(index + further)))
  }
}

test(`${requests.toLocaleString('en')} random session ids, tokens and device cookies stay out of memory, and a session still works`, {
  timeout: patience,
}, async () => {
  const member = await bench.signedIn()
  await showMany(2_000)
  const before = heapInMegabytes()
  await showMany(requests)
  const grown = heapInMegabytes() - before
  console.log(`${requests} random ids: the heap grew by ${grown.toFixed(1)} MB`)
  expect(grown).toBeLessThan(5)
  expect((await member.ask(viewer)).status).toBe(200)
})
