import type { HttpRequest } from '@latchkey/http'
import { writeSliceTable } from '../load/slice-table.ts'
import { extraMicroseconds, type Slice, type Slices, sliceMs, turnsOf } from '../load/slices.ts'
import { atMost, type PartReport, type PartRun } from '../part.ts'
import { orderOf } from '../rounds.ts'
import type { Example } from './example.ts'
import { createLatchkeyHandler } from './graphql-latchkey.ts'
import { signTokens } from './graphql-load.ts'
import { notesExample } from './notes-example.ts'

/** More than a verifier remembers: by the time one comes again it is new. */
const tokenCount = 25_000
const anonymous = 'latchkey, anonymous'
const seen = 'latchkey, token seen'
const unseen = 'latchkey, token unseen'

type Way = () => Promise<{ readonly status: number }>

/** Measures a request without sockets, from its headers and body to the response, and the cost of a token. */
export async function measureGraphqlInProcess({ rounds, seconds, progress }: PartRun): Promise<PartReport> {
  const ways = Object.entries(await prepareWays(notesExample))
  for (const [name, way] of ways) {
    progress(`warming up: ${name}`)
    if ((await way()).status !== 200) throw new Error(`${name} was refused`)
    await measureSlice(way, 1500)
  }
  const slices: Record<string, Slice[]> = Object.fromEntries(ways.map(([name]) => [name, []]))
  for (let turn = 0; turn < rounds * turnsOf(seconds); turn++) {
    for (const [name, way] of orderOf(ways, turn)) slices[name]?.push(await measureSlice(way, sliceMs))
  }
  return report(slices)
}

function report(slices: Slices): PartReport {
  const title = 'A request in process, from headers and body to the response'
  return {
    tables: [writeSliceTable(slices, { title, bases: [{ head: `of ${anonymous}`, baseOf: () => anonymous }] })],
    targets: [atMost(2, `µs of CPU more than ${anonymous}`, seen, extraMicroseconds(slices, seen, anonymous))],
    figures: slices,
  }
}

async function prepareWays(example: Example): Promise<Record<string, Way>> {
  const open = await createLatchkeyHandler(example, { who: 'public' })
  const readers = await createLatchkeyHandler(example, { who: 'readers' })
  const requests = (await signTokens(tokenCount)).map((token) =>
    requestOf(example, { authorization: `Bearer ${token}` }),
  )
  const [first] = requests
  if (!first) throw new Error('there is no token')
  const none = requestOf(example, {})
  let next = 0
  return {
    [anonymous]: async () => open.handle(none),
    [seen]: async () => readers.handle(first),
    [unseen]: async () => readers.handle(requests[next++ % requests.length] ?? first),
  }
}

const never = new AbortController().signal

function requestOf({ request }: Example, more: Readonly<Record<string, string>>): HttpRequest {
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json', ...more }
  const text = JSON.stringify(request)
  return {
    method: 'POST',
    target: '/graphql',
    peerAddress: '127.0.0.1',
    signal: never,
    headers: new Map(Object.entries(headers)),
    cookies: new Map(),
    body: async () => text,
  }
}

async function measureSlice(way: Way, milliseconds: number): Promise<Slice> {
  const before = process.cpuUsage()
  const startedAt = performance.now()
  let calls = 0
  while (performance.now() < startedAt + milliseconds) {
    for (let call = 0; call < 50; call++) await way()
    calls += 50
  }
  const { user, system } = process.cpuUsage(before)
  return { perSecond: (calls * 1000) / (performance.now() - startedAt), cpuMicroseconds: (user + system) / calls }
}
