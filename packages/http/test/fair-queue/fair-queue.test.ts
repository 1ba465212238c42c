import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { createAddressReader, type HttpRequest, isHttpError } from '@latchkey/http'
import {
  createFairQueue,
  type FairQueueOptions,
  type QueueVerdict,
  type ThrottledAddress,
} from '@latchkey/http/fair-queue'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

const busy = '192.0.2.1'
const quiet = '192.0.2.2'

let time = 0
beforeEach(() => {
  time = 1_000_000
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => void vi.useRealTimers())

const start = (options: FairQueueOptions = {}) => createFairQueue({ now: () => time, ...options })

function request(peerAddress: string | null, more: Partial<HttpRequest> = {}): HttpRequest {
  const { signal } = new AbortController()
  return {
    method: 'GET',
    target: '/',
    headers: new Map(),
    cookies: new Map(),
    peerAddress,
    signal,
    body: async () => 'body',
    ...more,
  }
}

/** Lets so much time pass, a millisecond at a time, as the event loop would see it. */
async function pass(milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed++) {
    time++
    await vi.advanceTimersByTimeAsync(1)
    await turnOfLoop()
  }
}

/** Lets so much time pass at once. */
async function jump(milliseconds: number): Promise<void> {
  time += milliseconds
  await vi.advanceTimersByTimeAsync(milliseconds)
  for (let turn = 0; turn < 10; turn++) await turnOfLoop()
}

type Turns = ReturnType<typeof createFairQueue>

/** Sends a request that holds the event loop for so long, and resolves when that is charged. */
async function send(turns: Turns, from: string, holdMs: number): Promise<QueueVerdict> {
  const verdict = await turns.enter(request(from))
  if (verdict.ok) time += holdMs
  await turnOfLoop()
  return verdict
}

/** Lets an address that is alone take more than its share. */
async function takeTooMuch(turns: Turns, from = busy, holdMs = 6): Promise<void> {
  await jump(2_500)
  for (let sent = 0; sent * holdMs < 1_200; sent++) await send(turns, from, holdMs)
}

/** How many of its requests begin while the other address sends one each 10 ms. */
async function begunBeside(turns: Turns, holdMs: number, overMs: number): Promise<number> {
  let begun = 0
  let isOver = false
  const attack = async (): Promise<void> => {
    while (!isOver) {
      const verdict = await turns.enter(request(busy))
      if (isOver || !verdict.ok) return
      begun++
      time += holdMs
      await turnOfLoop()
    }
  }
  const attacks = Array.from({ length: 8 }, attack)
  const end = time + overMs
  while (time < end) {
    expect(turns.enter(request(quiet))).toMatchObject({ ok: true })
    await pass(10)
  }
  isOver = true
  await pass(6_000)
  await Promise.all(attacks)
  return begun
}

describe('a client that is alone', () => {
  test('never waits, however much it takes', async () => {
    const turns = start()
    await takeTooMuch(turns)
    for (let sent = 0; sent < 100; sent++) expect(turns.enter(request(busy))).toMatchObject({ ok: true })
  })

  test('is alone again two seconds after the last request of others', async () => {
    const turns = start()
    await takeTooMuch(turns)
    turns.enter(request(quiet))
    await send(turns, busy, 6)
    expect(turns.enter(request(busy))).toBeInstanceOf(Promise)
    await jump(3_000)
    expect(turns.enter(request(busy))).toMatchObject({ ok: true })
  })

  test('is alone again during the end of a long pause, and continues at once', async () => {
    const turns = start()
    await takeTooMuch(turns)
    turns.enter(request(quiet))
    await send(turns, busy, 100)
    const waiting = turns.enter(request(busy))
    let isOver = false
    void Promise.resolve(waiting).then(() => (isOver = true))
    await jump(1_800)
    expect(isOver).toBe(false)
    await jump(200)
    expect(isOver).toBe(true)
    expect(await waiting).toMatchObject({ ok: true })
  })

  test('never waits without an address or if exempt, and counts as present', async () => {
    const turns = start({ exempt: ['198.51.100.0/24'] })
    await takeTooMuch(turns, '198.51.100.7')
    turns.enter(request(quiet))
    expect(turns.enter(request('198.51.100.7'))).toMatchObject({ ok: true })
    expect(turns.enter(request(null))).toMatchObject({ ok: true })
    await takeTooMuch(turns)
    turns.enter(request(null))
    await send(turns, busy, 6)
    turns.enter(request(null))
    expect(turns.enter(request(busy))).toBeInstanceOf(Promise)
  })
})

describe('an address that exceeds its share, with others present', () => {
  test('waits, and requests of others do not', async () => {
    const turns = start()
    await takeTooMuch(turns)
    turns.enter(request(quiet))
    await send(turns, busy, 6)
    expect(turns.enter(request(busy))).toBeInstanceOf(Promise)
    for (let sent = 0; sent < 50; sent++) {
      expect(turns.enter(request(quiet))).toMatchObject({ ok: true })
      await turnOfLoop()
    }
  })

  test('gets half a hundredth of the time for requests of 6 ms, and a sixteenth for requests of a quarter of a millisecond', async () => {
    const long = start()
    await takeTooMuch(long)
    expect(await begunBeside(long, 6, 12_000)).toBeLessThanOrEqual(8 + 11)
    const short = start()
    await takeTooMuch(short)
    const begun = await begunBeside(short, 0.25, 1_000)
    expect(begun * 0.25).toBeGreaterThan(25)
    expect(begun * 0.25).toBeLessThan(100)
  })

  test.each([
    [0.25, 0.9, 'a tenth of the time'],
    [0.05, 1.9, 'its share'],
  ])(
    'gets with a share of %d for the shortest requests, of 0.05 ms and the time of Node.js, the next start after %d ms (%s)',
    async (share, beginsAtMs) => {
      const turns = start({ share })
      await takeTooMuch(turns)
      turns.enter(request(quiet))
      const begunAt = time
      await send(turns, busy, 0.05)
      let hasBegun = false
      const next = Promise.resolve(turns.enter(request(busy))).then(() => (hasBegun = true))
      const passTo = async (at: number): Promise<void> => {
        time = begunAt + at
        await vi.advanceTimersByTimeAsync(2)
        for (let turn = 0; turn < 10; turn++) await turnOfLoop()
      }
      await passTo(beginsAtMs - 0.01)
      expect(hasBegun).toBe(false)
      await passTo(beginsAtMs + 0.01)
      expect(hasBegun).toBe(true)
      await next
    },
  )

  test('is counted by its IPv4 address or the /64 network of its IPv6 address, behind trusted proxies only', async () => {
    const spoof = (peer: string) =>
      request(peer, { headers: new Map([['x-forwarded-for', `203.0.113.${Math.floor(Math.random() * 250)}`]]) })
    const turns = start({ addresses: createAddressReader({ trustedProxies: ['10.0.0.1'] }) })
    await takeTooMuch(turns, '2001:db8::1')
    turns.enter(request(quiet))
    await send(turns, '2001:db8::2', 6)
    expect(turns.enter(request('2001:db8::ffff'))).toBeInstanceOf(Promise)
    expect(turns.enter(request('2001:db8:0:1::1'))).toMatchObject({ ok: true })
    await takeTooMuch(turns, '::ffff:192.0.2.1')
    turns.enter(request(quiet))
    await send(turns, busy, 6)
    expect(turns.enter(spoof(busy))).toBeInstanceOf(Promise)
    expect(turns.enter(spoof('10.0.0.1'))).toMatchObject({ ok: true })
  })

  test('stays limited while its requests wait, even if a pause outlasts the time for which its usage counts', async () => {
    const turns = start()
    await takeTooMuch(turns, busy, 18)
    turns.enter(request(quiet))
    await send(turns, busy, 18)
    let begun = 0
    const asked = Array.from({ length: 8 }, async () => {
      const { ok } = await turns.enter(request(busy))
      if (!ok) return
      begun++
      time += 18
    })
    const passBeside = async (milliseconds: number): Promise<void> => {
      for (let passed = 0; passed < milliseconds; passed += 100) {
        expect(turns.enter(request(quiet))).toMatchObject({ ok: true })
        await pass(100)
      }
    }
    // The pause is two hundred times as long as the request.
    await passBeside(3_400)
    expect(begun).toBe(0)
    await passBeside(1_000)
    expect(begun).toBe(1)
    await passBeside(2_000)
    await Promise.all(asked)
    expect(begun).toBe(1)
  })

  test('is free again once it has taken little for a while', async () => {
    const turns = start()
    await takeTooMuch(turns)
    turns.enter(request(quiet))
    await send(turns, busy, 6)
    const waiting = turns.enter(request(busy))
    await pass(1_300)
    expect(await waiting).toMatchObject({ ok: true })
    await jump(5_000)
    turns.enter(request(quiet))
    for (let sent = 0; sent < 5; sent++) expect(await send(turns, busy, 6)).toMatchObject({ ok: true })
    turns.enter(request(quiet))
    expect(turns.enter(request(busy))).toMatchObject({ ok: true })
  })

  test('is free again a minute after a burst if it stays below its share, even if its requests never stop', async () => {
    const turns = start()
    await takeTooMuch(turns)
    const verdicts: boolean[] = []
    const ask = async (): Promise<void> => {
      const { ok } = await turns.enter(request(busy))
      verdicts.push(ok)
      if (ok) time += 2
    }
    for (let burst = 0; burst < 100; burst++) void ask()
    // A tenth of the event loop's time, for 80 seconds.
    for (let round = 0; round < 4_000; round++) {
      if (round % 50 === 0) turns.enter(request(quiet))
      void ask()
      await pass(18)
    }
    expect(verdicts.slice(-400)).not.toContain(false)
    expect(verdicts).toContain(false)
  })

  test('waits with bodies that all arrive at once, too', async () => {
    const turns = start()
    const body = Promise.withResolvers<string>()
    const entered = Array.from({ length: 20 }, () =>
      turns.enter(request(busy, { method: 'POST', body: () => body.promise })),
    )
    await takeTooMuch(turns)
    turns.enter(request(quiet))
    await send(turns, busy, 6)
    let read = 0
    const reading = entered.map(async (verdict) => {
      const { ok } = verdict as QueueVerdict
      if (!ok) throw new Error('it was refused')
      const text = await (verdict as { request: HttpRequest }).request.body(10)
      read++
      time += 6
      return text
    })
    const settled = Promise.allSettled(reading)
    body.resolve('{}')
    await turnOfLoop()
    expect(read).toBe(0)
    for (let second = 0; second < 6; second++) {
      turns.enter(request(quiet))
      await pass(990)
    }
    const outcomes = await settled
    expect(read).toBeGreaterThan(2)
    expect(read).toBeLessThan(20)
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') expect(outcome.value).toBe('{}')
      else
        expect(isHttpError(outcome.reason) && outcome.reason).toMatchObject({ code: 'HTTP_RATE_LIMITED', status: 429 })
    }
  })
})

describe('an address below its share, with others present', () => {
  test('starts its next request in the next turn of the event loop, once it has held it for 0.15 ms', async () => {
    const turns = start({ waiting: 1, waitingPerAddress: 1 })
    turns.enter(request(quiet))
    await send(turns, busy, 0.05)
    expect(turns.enter(request(busy))).toMatchObject({ ok: true })
    await turnOfLoop()
    expect(turns.enter(request(busy))).toMatchObject({ ok: true })
    time += 0.25
    await new Promise<void>(process.nextTick)
    await new Promise<void>(process.nextTick)
    const begun: number[] = []
    const next = [1, 2, 3].map(async (place) => {
      expect(await turns.enter(request(busy))).toMatchObject({ ok: true })
      begun.push(place)
      time += 0.25
    })
    expect(turns.enter(request(quiet))).toMatchObject({ ok: true })
    await Promise.resolve()
    expect(begun).toEqual([])
    await Promise.all(next)
    expect(begun).toEqual([1, 2, 3])
  })

  test('is neither limited nor reported because of that', async () => {
    const slowed: ThrottledAddress[] = []
    const turns = start({ onThrottled: (one) => slowed.push(one) })
    turns.enter(request(quiet))
    for (let burst = 0; burst < 50; burst++) {
      const verdicts = Array.from({ length: 10 }, async () => {
        const verdict = await turns.enter(request(busy))
        time += 0.3
        return verdict
      })
      for (const verdict of await Promise.all(verdicts)) expect(verdict).toMatchObject({ ok: true })
      turns.enter(request(quiet))
      await turnOfLoop()
      await jump(100)
      expect(turns.enter(request(busy))).toMatchObject({ ok: true })
      await turnOfLoop()
    }
    expect(slowed).toEqual([])
  })
})

describe('a new connection', () => {
  const contend = async (options: FairQueueOptions = {}): Promise<Turns> => {
    const turns = start(options)
    await takeTooMuch(turns)
    turns.enter(request(quiet))
    await send(turns, busy, 6)
    return turns
  }

  test('waits for a quarter of a second if its address exceeds its share with others present, and theirs do not', async () => {
    const turns = await contend()
    expect(turns.enterConnection({ peerAddress: busy })).toBe(250)
    expect(turns.enterConnection({ peerAddress: quiet })).toBe(0)
    await jump(3_000)
    expect(turns.enterConnection({ peerAddress: busy })).toBe(0)
  })

  test('is cut off where as many have come in that time as may wait', async () => {
    const turns = await contend({ waitingPerAddress: 2 })
    const open = (): number | null => turns.enterConnection({ peerAddress: busy })
    expect([open(), open(), open(), open()]).toEqual([250, 250, null, null])
    turns.enter(request(quiet))
    await jump(250)
    expect([open(), open(), open()]).toEqual([250, 250, null])
  })

  test('waits as long as those before it have had to, although they are few', async () => {
    const turns = await contend()
    for (let opened = 0; opened < 30; opened++) {
      expect(turns.enterConnection({ peerAddress: busy })).toBeGreaterThan(0)
      turns.enter(request(quiet))
      await turnOfLoop()
      await jump(200)
    }
    await jump(1_000)
    turns.enter(request(quiet))
    expect(turns.enterConnection({ peerAddress: busy })).toBe(0)
  })

  test('never waits from a trusted proxy, from an exempt address, or without an address', async () => {
    const turns = await contend({
      addresses: createAddressReader({ trustedProxies: ['10.0.0.1'] }),
      exempt: ['198.51.100.7'],
    })
    await takeTooMuch(turns, '10.0.0.1')
    turns.enter(request(quiet))
    for (const peerAddress of ['10.0.0.1', '198.51.100.7', null]) {
      expect(turns.enterConnection({ peerAddress })).toBe(0)
    }
  })

  test('counts as half a millisecond of the event loop, so that opening connections alone takes turns, too', async () => {
    const turns = start()
    const open = (): number | null => turns.enterConnection({ peerAddress: busy })
    for (let opened = 0; opened < 990; opened++) expect(open()).toBe(0)
    turns.enter(request(quiet))
    for (let opened = 0; opened < 20; opened++) open()
    expect(open()).toBeGreaterThan(0)
  })
})

test('addresses that all exceed their share do not wait for one another', async () => {
  const turns = start()
  await send(turns, busy, 3_000)
  await send(turns, '192.0.2.3', 3_000)
  await send(turns, busy, 6)
  expect(turns.enter(request(busy))).toMatchObject({ ok: true })
  expect(turns.enter(request('192.0.2.3'))).toMatchObject({ ok: true })
  turns.enter(request(quiet))
  await send(turns, busy, 6)
  expect(turns.enter(request(busy))).toBeInstanceOf(Promise)
})

describe('a request that waits', () => {
  async function contended(options: FairQueueOptions = {}): Promise<Turns> {
    const turns = start(options)
    await takeTooMuch(turns)
    turns.enter(request(quiet))
    await send(turns, busy, 6)
    return turns
  }

  test('is refused when its time is over, with the seconds after which another makes sense', async () => {
    const turns = await contended({ waitMs: 300 })
    const waiting = turns.enter(request(busy))
    await pass(310)
    expect(await waiting).toEqual({ ok: false, reason: 'address', retryAfterSeconds: 1 })
  })

  test('is refused at once if the queue of its address or of all is full', async () => {
    const one = await contended({ waitingPerAddress: 2 })
    const waiting = [one.enter(request(busy)), one.enter(request(busy))]
    expect(one.enter(request(busy))).toMatchObject({ ok: false, reason: 'address' })
    expect(one.enter(request(quiet))).toMatchObject({ ok: true })
    const all = await contended({ waiting: 1 })
    waiting.push(all.enter(request(busy)))
    expect(all.enter(request(busy))).toMatchObject({ ok: false, reason: 'total' })
    await jump(6_000)
    expect(await Promise.all(waiting)).toHaveLength(3)
  })

  test('gets no turn after its client has disconnected, so that it costs no time', async () => {
    const turns = await contended()
    const gone = new AbortController()
    const waiting = turns.enter(request(busy, { signal: gone.signal }))
    const next = turns.enter(request(busy))
    gone.abort()
    await pass(1_300)
    expect(await waiting).toMatchObject({ ok: false })
    expect(await next).toMatchObject({ ok: true })
  })

  test('leaves its place to another request as soon as its client has disconnected', async () => {
    const turns = await contended({ waitingPerAddress: 1, waiting: 1 })
    const gone = new AbortController()
    const waiting = turns.enter(request(busy, { signal: gone.signal }))
    expect(turns.enter(request(busy))).toMatchObject({ ok: false })
    gone.abort()
    expect(await waiting).toMatchObject({ ok: false })
    expect(vi.getTimerCount()).toBe(0)
    const next = turns.enter(request(busy))
    expect(next).toBeInstanceOf(Promise)
    await jump(3_000)
    expect(await next).toMatchObject({ ok: true })
  })

  test('gets no turn if its client had disconnected before it came', async () => {
    const turns = await contended()
    expect(await turns.enter(request(busy, { signal: AbortSignal.abort() }))).toMatchObject({ ok: false })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('continues in the order in which the bodies came, and is refused in time, whatever comes later', async () => {
    const turns = start({ waitMs: 1_000 })
    const bodies = Array.from({ length: 3 }, () => Promise.withResolvers<string>())
    const posts = bodies.map(({ promise }) =>
      turns.enter(request(busy, { method: 'POST', body: () => promise })),
    ) as QueueVerdict[]
    await takeTooMuch(turns)
    turns.enter(request(quiet))
    await send(turns, busy, 3)
    const order: string[] = []
    const head = Promise.resolve(turns.enter(request(busy))).then(({ ok }) => order.push(`head ${ok}`))
    const reading = posts.map(async (post, index) => {
      if (!post.ok) throw new Error('it was refused')
      await post.request.body(10)
      order.push(`body ${index}`)
      time += 40
    })
    const settled = Promise.allSettled([head, ...reading])
    await pass(300)
    for (const { resolve } of bodies) resolve('{}')
    for (let tenth = 0; tenth < 8; tenth++) {
      turns.enter(request(quiet))
      await pass(100)
    }
    expect(order).toEqual(['body 0', 'head false'])
    await jump(5_000)
    await settled
  })

  test('is reported once a minute for its address, even if the listener throws', async () => {
    const slowed: ThrottledAddress[] = []
    const onThrottled = (one: ThrottledAddress) => {
      slowed.push(one)
      throw new Error('the log is full')
    }
    const turns = await contended({ onThrottled })
    const waiting = [turns.enter(request(busy)), turns.enter(request(busy))]
    expect(slowed).toEqual([{ address: busy, share: expect.closeTo(0.45, 1) }])
    await jump(3_000)
    await Promise.all(waiting)
    await jump(60_000)
    await takeTooMuch(turns)
    turns.enter(request(quiet))
    await send(turns, busy, 6)
    void turns.enter(request(busy))
    expect(slowed).toHaveLength(2)
  })
})

test('addresses beyond the most are counted together', async () => {
  const turns = start({ addressesAtMost: 2 })
  turns.enter(request('192.0.2.10'))
  turns.enter(request('192.0.2.11'))
  await send(turns, '192.0.2.12', 1_200)
  turns.enter(request('192.0.2.10'))
  expect(turns.enter(request('192.0.2.13'))).toBeInstanceOf(Promise)
  await jump(10_000)
  await jump(10_000)
  for (let host = 20; host < 60; host++) {
    expect(turns.enter(request(`192.0.2.${host}`))).toMatchObject({ ok: true })
    await turnOfLoop()
  }
})

test.each([
  ['share', { share: 0 }],
  ['share', { share: Number.NaN }],
  ['waitMs', { waitMs: 0 }],
  ['waiting', { waiting: 1.5 }],
  ['waitingPerAddress', { waitingPerAddress: -1 }],
  ['addressesAtMost', { addressesAtMost: Number.POSITIVE_INFINITY }],
  ['exempt', { exempt: ['everyone'] }],
  ['exempt', { exempt: '10.0.0.1' as unknown as string[] }],
])('"%s" out of its range is refused', (name, options) => {
  expect(() => createFairQueue(options)).toThrow(new RegExp(`^"${name}"`))
  expect(() => createFairQueue(options)).toThrow(TypeError)
})
