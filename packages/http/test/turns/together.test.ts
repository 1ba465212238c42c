import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { createFairTurns, type FairTurnsOptions, type HttpRequest, type TurnVerdict } from '@latchkey/http'
import { beforeEach, expect, test } from 'vitest'

const gateway = '192.0.2.1'
const quiet = '192.0.2.2'
const exempt = '198.51.100.7'

let time = 0
beforeEach(() => {
  time = 1_000_000
})

/** It runs on, as that of a process does. */
const now = (): number => {
  time += 0.0001
  return time
}

type Turns = ReturnType<typeof createFairTurns>
const start = (options: FairTurnsOptions = {}): Turns =>
  createFairTurns({ now, together: true, exempt: [exempt], ...options })

function request(peerAddress: string | null, mayGoTogether = true): HttpRequest {
  const { signal } = new AbortController()
  return { method: 'GET', target: '/', header: () => null, peerAddress, signal, mayGoTogether, body: async () => '' }
}

/** What has gone on, in its order. */
function follow(entered: Record<string, TurnVerdict | Promise<TurnVerdict>>): string[] {
  const gone: string[] = []
  for (const [name, verdict] of Object.entries(entered)) {
    if (verdict instanceof Promise) void verdict.then(({ ok }) => gone.push(`${name} ${ok}`))
    else gone.push(`${name} ${verdict.ok} at once`)
  }
  return gone
}

test.each([gateway, exempt, null])(
  'the requests of %s that arrive in one turn of the event loop go on together at its end, after the first',
  async (address) => {
    const turns = start()
    const gone = follow({
      a: turns.enter(request(address)),
      b: turns.enter(request(address)),
      c: turns.enter(request(address)),
    })
    await Promise.resolve()
    expect(gone).toEqual(['a true at once'])
    await turnOfLoop()
    expect(gone).toEqual(['a true at once', 'b true', 'c true'])
  },
)

test('one that comes a millisecond after the last one goes on at once', async () => {
  const turns = start()
  for (let sent = 0; sent < 5; sent++) {
    expect(turns.enter(request(gateway))).toMatchObject({ ok: true })
    await turnOfLoop()
    time += 1
  }
})

test('while another address is there each goes on by itself, so that what it takes is charged to its own address', () => {
  const turns = start()
  turns.enter(request(quiet))
  for (let sent = 0; sent < 2; sent++) expect(turns.enter(request(gateway))).toMatchObject({ ok: true })
  expect(turns.enter(request(quiet))).toMatchObject({ ok: true })
})

test('what they take together is charged to their address', async () => {
  const turns = start()
  for (let turn = 0; turn < 30; turn++) {
    turns.enter(request(gateway))
    await Promise.all([turns.enter(request(gateway)), turns.enter(request(gateway))])
    // Both hold the event loop in this turn of the promises.
    time += 60
    await turnOfLoop()
  }
  turns.enter(request(quiet))
  turns.enter(request(gateway))
  time += 6
  await turnOfLoop()
  expect(turns.enter(request(quiet))).toMatchObject({ ok: true })
  expect(turns.enter(request(gateway))).toBeInstanceOf(Promise)
})

test('those of an address that has taken too much wait for their turns where another one has come meanwhile', async () => {
  const turns = start()
  for (let sent = 0; sent < 200; sent++) {
    turns.enter(request(gateway))
    time += 6
    await turnOfLoop()
  }
  turns.enter(request(gateway))
  const gone = follow({ b: turns.enter(request(gateway)), c: turns.enter(request(gateway)) })
  // The pause after the last one has not passed yet.
  time += 6
  expect(turns.enter(request(quiet))).toMatchObject({ ok: true })
  await turnOfLoop()
  expect(gone).toEqual([])
})

test('the exempt ones do not go on with an address whose time is measured', async () => {
  const turns = start()
  turns.enter(request(gateway))
  const [measured, other] = [turns.enter(request(gateway)), turns.enter(request(gateway))]
  turns.enter(request(exempt))
  const apart = turns.enter(request(exempt))
  const order: string[] = []
  const work = async (name: string, verdict: TurnVerdict | Promise<TurnVerdict>): Promise<void> => {
    await verdict
    order.push(name)
    await null
    order.push(name)
  }
  await Promise.all([work('exempt', apart), work('measured', measured), work('measured', other)])
  expect(order).toEqual(['measured', 'measured', 'measured', 'measured', 'exempt', 'exempt'])
})

test.each([gateway, exempt])('those of %s that may not wait for what others have begun go on at once', (address) => {
  const turns = start()
  for (let sent = 0; sent < 5; sent++) expect(turns.enter(request(address, false))).toMatchObject({ ok: true })
})

test('without the option each goes on at once', () => {
  const turns = createFairTurns({ now: () => time })
  for (let sent = 0; sent < 5; sent++) expect(turns.enter(request(gateway))).toMatchObject({ ok: true })
})

test('"together" is refused where it is no boolean', () => {
  expect(() => createFairTurns({ together: 1 as never })).toThrow(new TypeError('"together" must be a boolean'))
})

test('an address that comes beside one that has taken too much goes on by itself, and is charged for nothing of the other', async () => {
  const slowed: (string | null)[] = []
  const turns = start({ onSlowed: ({ address }) => slowed.push(address) })
  // What takes too much does not count as another address that is there, so the quiet one is alone, too.
  for (let sent = 0; sent < 400; sent++) {
    turns.enter(request(gateway))
    time += 8
    await turnOfLoop()
  }
  const work = async (verdict: TurnVerdict | Promise<TurnVerdict>): Promise<void> => {
    await verdict
    await null
    time += 60
  }
  const heavy = Array.from({ length: 12 }, () => turns.enter(request(gateway)))
  const apart = turns.enter(request(quiet))
  expect(apart).toMatchObject({ ok: true })
  for (const verdict of [...heavy, apart]) void work(verdict)
  await turnOfLoop()
  await turnOfLoop()
  turns.enter(request('192.0.2.3'))
  expect(turns.enter(request(quiet))).toMatchObject({ ok: true })
  expect(slowed).toEqual([gateway])
})
