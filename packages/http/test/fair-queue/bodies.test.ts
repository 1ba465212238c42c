import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { HttpError, type HttpRequest } from '@latchkey/http'
import { createFairQueue, type FairQueue } from '@latchkey/http/fair-queue'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

const busy = '192.0.2.1'
const quiet = '192.0.2.2'

let time = 0
beforeEach(() => {
  time = 1_000_000
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => void vi.useRealTimers())

interface Sent {
  readonly from?: string
  readonly body?: () => Promise<string>
  readonly declared?: number
}

function post({ from = busy, body = async () => '', declared }: Sent = {}): HttpRequest {
  const { signal } = new AbortController()
  const headers = new Map(declared === undefined ? [] : [['content-length', `${declared}`]])
  return { method: 'POST', target: '/', headers, cookies: new Map(), peerAddress: from, signal, body }
}

/** An address has taken more than its share, and another one is there. */
async function contend(): Promise<FairQueue> {
  const turns = createFairQueue({ now: () => time })
  for (let sent = 0; sent < 200; sent++) {
    expect(turns.enter(post())).toMatchObject({ ok: true })
    time += 6
    await turnOfLoop()
  }
  turns.enter(post({ from: quiet }))
  return turns
}

async function read(turns: FairQueue, request: HttpRequest): Promise<string> {
  const verdict = await turns.enter(request)
  if (!verdict.ok) throw new Error('it was refused')
  await turnOfLoop()
  // After what Node.js does for a request others have the event loop for half a millisecond.
  time++
  return verdict.request.body(100_000).finally(turnOfLoop)
}

/** Expects the next request of the address to begin so many milliseconds later, not sooner and not later. */
async function expectNextAfter(turns: FairQueue, milliseconds: number): Promise<void> {
  const from = time
  let hasBegun = false
  void Promise.resolve(turns.enter(post())).then(() => {
    hasBegun = true
  })
  const passTo = async (at: number): Promise<void> => {
    time = from + at
    await vi.advanceTimersByTimeAsync(milliseconds + 100)
    for (let turn = 0; turn < 5; turn++) await turnOfLoop()
  }
  await passTo(milliseconds - 0.05)
  expect(hasBegun).toBe(false)
  await passTo(milliseconds + 0.05)
  expect(hasBegun).toBe(true)
}

describe('an address that exceeds its share, with others present, waits for the cost of its bodies:', () => {
  test.each([
    ['90 kB', 90_000, 'x'.repeat(90_000), 41],
    ['30 kB', 30_000, 'x'.repeat(30_000), 1.35],
    ['90 kB whose length was not stated', undefined, 'x'.repeat(30_000), 41],
    ['90 kB of characters of three bytes', 90_000, '€'.repeat(30_000), 41],
    ['90 kB that stated less', 1, 'x'.repeat(30_000), 41],
  ])('%s', async (_what, declared, text, milliseconds) => {
    const turns = await contend()
    expect(await read(turns, post({ body: async () => text, ...(declared !== undefined && { declared }) }))).toBe(text)
    await expectNextAfter(turns, milliseconds)
  })

  test('a body that does not arrive counts as half a millisecond', async () => {
    const turns = await contend()
    const lost = new Error('it was cut off')
    const reading = read(turns, post({ body: () => Promise.reject(lost) }))
    await expect(reading).rejects.toBe(lost)
    await expectNextAfter(turns, 62.5)
  })
})

test('a single client never waits for the cost of its bodies', async () => {
  const turns = createFairQueue({ now: () => time })
  for (let sent = 0; sent < 2_000; sent++) {
    const verdict = turns.enter(post({ declared: 90_000 }))
    expect(verdict).toMatchObject({ ok: true })
    if ('ok' in verdict && verdict.ok) await verdict.request.body(100_000)
  }
})

test('one of several bodies that are cut off together is refused in each turn of the event loop', async () => {
  const turns = createFairQueue({ now: () => time })
  const { promise, reject } = Promise.withResolvers<string>()
  let refused = 0
  const bodies = Array.from({ length: 20 }, async (_none, place) => {
    const verdict = await turns.enter(post({ from: `192.0.2.${place}`, body: () => promise }))
    if (!verdict.ok) throw new Error('it was refused')
    await verdict.request.body(10).catch(() => refused++)
  })
  await turnOfLoop()
  reject(new Error('cut off'))
  const seen: number[] = []
  for (let turn = 0; turn < 20; turn++) {
    await turnOfLoop()
    seen.push(refused)
  }
  for (const [turn, count] of seen.entries()) expect(count).toBeLessThanOrEqual(turn + 2)
  await Promise.all(bodies)
  expect(refused).toBe(20)
})

describe('an unread body counts after the response:', () => {
  test.each([
    ['90 kB', 'POST', 90_000, 41],
    ['90 kB of a GET', 'GET', 90_000, 41],
    ['more than a megabyte counts as one', 'POST', 10_000_000, 995],
  ])('%s', async (_what, method, declared, milliseconds) => {
    const turns = await contend()
    const verdict = await turns.enter({ ...post({ declared }), method })
    if (!verdict.ok) throw new Error('it was refused')
    await turnOfLoop()
    time++
    verdict.end?.()
    // Once, however often it is called.
    verdict.end?.()
    await expectNextAfter(turns, milliseconds)
  })

  test('not one that was read', async () => {
    const turns = await contend()
    const verdict = await turns.enter(post({ declared: 30_000, body: async () => 'x'.repeat(30_000) }))
    if (!verdict.ok) throw new Error('it was refused')
    await turnOfLoop()
    time++
    await verdict.request.body(100_000).finally(turnOfLoop)
    verdict.end?.()
    await expectNextAfter(turns, 1.35)
  })

  test('a request without a body has no end', async () => {
    const turns = createFairQueue({ now: () => time })
    expect(turns.enter(post())).not.toHaveProperty('end')
    expect(turns.enter({ ...post(), method: 'GET' })).not.toHaveProperty('end')
  })
})

describe('a body over the limit counts with its announced length, up to a megabyte:', () => {
  test.each([
    ['200 kB', 200_000, 1.5 * 199],
    ['10 MB', 10_000_000, 5.5 * 199],
    ['as a megabyte where it does not say how long it is', undefined, 5.5 * 199],
  ])('%s', async (_what, declared, milliseconds) => {
    const turns = await contend()
    const body = () => Promise.reject(new HttpError('HTTP_BODY_TOO_LARGE', 'the body is too large'))
    await expect(read(turns, post({ body, ...(declared !== undefined && { declared }) }))).rejects.toMatchObject({
      code: 'HTTP_BODY_TOO_LARGE',
    })
    await expectNextAfter(turns, milliseconds)
  })
})

test('the body of a request that is refused counts, because it is thrown away', async () => {
  const turns = createFairQueue({ now: () => time, waitingPerAddress: 1 })
  for (let sent = 0; sent < 200; sent++) {
    turns.enter(post())
    time += 6
    await turnOfLoop()
  }
  turns.enter(post({ from: quiet }))
  for (let sent = 0; sent < 2; sent++) void turns.enter(post())
  const retryAfter = (declared: number): unknown => turns.enter(post({ declared }))
  expect(retryAfter(1)).toMatchObject({ ok: false, retryAfterSeconds: 1 })
  for (let sent = 0; sent < 3; sent++) expect(retryAfter(1_000_000)).toMatchObject({ ok: false })
  expect(retryAfter(1)).toMatchObject({ ok: false, retryAfterSeconds: 4 })
})
