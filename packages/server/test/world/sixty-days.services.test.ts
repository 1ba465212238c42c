import { DatabaseSync } from 'node:sqlite'
import { randomToken } from '@latchkey/bytes'
import { after, wallClock } from '@latchkey/core/internal'
import { createSqliteStores } from '@latchkey/sql'
import { createMemoryCounterStore } from '@latchkey/store'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createMemoryStores } from '../support/bench.ts'
import type { Diary } from './diary.ts'
import { createWorld, type World } from './simulated-world.ts'
import { liveSixtyDays } from './sixty-days.ts'
import { openTown, type Town, type TownOptions } from './town.ts'

// Before all other modules: what these keep of the platform while they are loaded is watched as well.
const { takeRealCalls } = await vi.hoisted(() => import('./watched-platform.ts'))

type StoresOf = (now: () => number) => TownOptions['stores']
const inMemory: StoresOf = (now) => ({ ...createMemoryStores(now), counters: createMemoryCounterStore({ now }) })

/** Such as those of a database, which has a clock of its own. */
const ofTheirOwn: StoresOf = (now) => {
  const { records, ...stores } = inMemory(now)
  const { clock: _given, ...capabilities } = records.capabilities
  return { ...stores, records: { ...records, capabilities } }
}

let world: World | null = null
afterEach(() => {
  world?.end()
  world = null
})

interface LifeOptions {
  readonly seed?: string
  readonly storesOf?: StoresOf
  readonly clock?: TownOptions['clock']
  readonly days?: number
  readonly onDay?: (town: Town, today: number) => unknown
}

/** Sixty days of a town, in a world of its own that is still there afterwards. */
async function live(options: LifeOptions = {}): Promise<Diary> {
  const { seed = 'one', storesOf = inMemory, clock, days = 60, onDay } = options
  world?.end()
  world = createWorld(seed)
  takeRealCalls()
  const stores = storesOf(clock ?? world.now)
  const town = await openTown(world, { stores, ...(clock && { clock }) })
  await liveSixtyDays(town, { days, onDay: async (today) => onDay?.(town, today) })
  return town.diary
}

/** Those of the first test, which others look at. */
const sixtyDays = await live()
const realCallsOfSixtyDays = takeRealCalls()
const patience = 120_000

describe('sixty days of a service in a simulated world', () => {
  test('are the same twice, byte for byte, stand still while the world does, and end with the service', {
    timeout: patience,
  }, async () => {
    let stops = 0
    const { lines } = await live({
      async onDay({ diary, world: { now, timers } }) {
        const before = [diary.lines.length, now(), timers()]
        for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => void setImmediate(resolve))
        expect([diary.lines.length, now(), timers()]).toEqual(before)
        stops++
      },
    })
    expect(lines.length).toBeGreaterThan(500)
    expect(lines).toEqual(sixtyDays.lines)
    expect([stops, world?.timers()]).toEqual([60, 0])
    await world?.pass(86_400_000, 3_600_000)
    expect(lines).toEqual(sixtyDays.lines)
  })

  test('are the same on stores in SQLite as in memory, and leave no expired record', {
    timeout: patience,
  }, async () => {
    const database = new DatabaseSync(':memory:')
    const expired = database.prepare.bind(
      database,
      'select count(*) as count from latchkey_records where expires_at < ?',
    )
    const { lines } = await live({
      storesOf: (now) => createSqliteStores({ database: () => database, now }),
      onDay: ({ world: { now } }) => expect(expired().get(now() - 60_000)).toEqual({ count: 0 }),
    })
    expect(lines).toEqual(sixtyDays.lines)
    expect(takeRealCalls()).toEqual([])
  })

  test('have other ids, tokens and cookies with another seed', { timeout: patience }, async () => {
    const [one, other] = [randomTexts(sixtyDays), randomTexts(await live({ seed: 'two' }))]
    expect(one.size).toBeGreaterThan(300)
    expect([...one].filter((text) => other.has(text))).toEqual([])
  })

  test('hold what happens to visitors', async () => {
    const { answers, events, mails } = sixtyDays
    const outcomes = new Set(answers.map(({ status, codes }) => [status, ...new Set(codes)].join(' ')))
    expect([...outcomes].sort()).toEqual([
      '200',
      '200 BAD_USER_INPUT',
      '401 INVALID_CREDENTIALS',
      '401 UNAUTHENTICATED',
      '429 RATE_LIMITED',
    ])
    expect([...new Set(events.map(({ type }) => type))].sort()).toEqual([
      'access.denied',
      'account.created',
      // Of checkpoints alone: a step of ten minutes at once is longer than their deadline.
      'audit.failed',
      'email.verified',
      'family.refreshed',
      'key.rotated',
      'link.refused',
      'mail.withheld',
      'password.reset',
      'password.reset-requested',
      'refresh.failed',
      'session.created',
      'session.ended',
      'sign-in.failed',
      'sign-up.requested',
    ])
    const failed = events.flatMap((event) => (event.type === 'audit.failed' ? [event.kind] : []))
    expect(new Set(failed)).toEqual(new Set(['audit.checkpoint']))
    expect(mails.length).toBeGreaterThan(20)
  })

  test.each([
    ['works', 'Ada', 200],
    ['works', 'Bo', 401],
    ['has lunched', '', 401],
    ['is back', 'Flo', 401],
  ])('answer a client that %s, for example %j, with %d', (what, name, status) => {
    const found = sixtyDays.lines.filter((line) => line.includes(`${name} ${what} [`))
    expect(found.length).toBeGreaterThan(0)
    for (const line of found) expect(line).toContain(` ${what} [${status},`)
  })

  test('have a single clock for their events, limits and cookies', async () => {
    const { lines, answers, events } = sixtyDays
    const times = lines.filter((line) => / event /.test(line)).map((line) => Number(line.split(' ', 1)[0]))
    expect(events.map(({ at }) => at)).toEqual(times)
    const waits = answers.filter(({ status }) => status === 429).map(({ headers }) => headers.get('retry-after'))
    expect(new Set(waits)).toEqual(new Set(['60']))
    const ages = answers
      .flatMap(({ cookies }) => cookies)
      .flatMap((cookie) => /^__Host-([\w-]+)=.*; (Max-Age=\d+)/.exec(cookie)?.slice(1).join(' ') ?? cookie)
    expect([...new Set(ages)].sort()).toEqual([
      'device Max-Age=15552000',
      'refresh Max-Age=0',
      'refresh Max-Age=2592000',
      'session Max-Age=0',
      'session Max-Age=28800',
      'sign-up Max-Age=86400',
    ])
  })
})

describe('the real platform', () => {
  test('is detected if a source uses it', () => {
    takeRealCalls()
    wallClock()
    after(0, () => undefined).stop()
    randomToken()
    expect(takeRealCalls().map(({ name }) => name)).toEqual(['now', 'setTimeout', 'getRandomValues'])
  })

  test('has no part in the life of a service', () => {
    expect(realCallsOfSixtyDays).toEqual([])
  })
})

describe('a service whose stores have another clock than the platform', () => {
  /** The files of ours that read the platform's clock. */
  async function readersOfTheWallClock(given: (clock: () => number) => LifeOptions): Promise<readonly string[]> {
    const readers = new Set<string>()
    const clock = (): number => 1_950_000_000_000 + Math.floor(performance.now())
    await live({
      ...given(clock),
      days: 10,
      onDay(_town, today) {
        if (today > 0) return
        const { now } = Date
        vi.spyOn(Date, 'now').mockImplementation(() => {
          const files = new Error('read').stack?.matchAll(/\/(packages\/[a-z]+\/src\/[\w./-]+\.ts)/g) ?? []
          const reader = [...files].find(([, file]) => !file?.startsWith('packages/core/'))
          if (reader?.[1]) readers.add(reader[1])
          return now()
        })
      },
    })
    return [...readers]
  }

  test("never reads the platform's clock if the service was given the same clock", {
    timeout: patience,
  }, async () => {
    expect(await readersOfTheWallClock((clock) => ({ clock }))).toEqual([])
  })

  test("compares the clocks if the service was given another clock, and does not read the platform's clock elsewhere", {
    timeout: patience,
  }, async () => {
    const readers = await readersOfTheWallClock((clock) => ({ clock, storesOf: ofTheirOwn }))
    expect(readers).toEqual(['packages/server/src/service/upkeep/service-clock.ts'])
  })
})

/** Ids, tokens, cookies: what no two worlds have in common. */
function randomTexts({ lines }: Diary): ReadonlySet<string> {
  const texts = lines.join('\n').match(/[\w-]{22,}/g) ?? []
  return new Set(texts.filter((text) => /\d/.test(text) && /[A-Z]/.test(text) && /[a-z]/.test(text)))
}
