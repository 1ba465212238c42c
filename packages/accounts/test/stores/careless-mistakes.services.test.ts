import { createMemoryAccountStore } from '@latchkey/accounts'
import { describeAccountStore } from '@latchkey/accounts/testing'
import {
  createMemoryAuditStore,
  createMemoryBroadcast,
  createMemoryCounterStore,
  createMemoryDocumentStore,
  createMemoryRecordStore,
} from '@latchkey/store'
import {
  describeAuditStore,
  describeBroadcast,
  describeCounterStore,
  describeDocumentStore,
  describeRecordStore,
} from '@latchkey/store/testing'
import { type CarelessStore, collectTests, type KitRunner } from '@latchkey/test-services'
import { expect, test, vi } from 'vitest'
import { carelessAccounts } from './careless/careless-accounts.ts'
import { carelessAudit } from './careless/careless-audit.ts'
import { carelessBroadcasts } from './careless/careless-broadcasts.ts'
import { carelessCounters } from './careless/careless-counters.ts'
import { carelessDocuments } from './careless/careless-documents.ts'
import { carelessRecords } from './careless/careless-records.ts'
import { kitClock } from './careless/kit-clock.ts'

// Mistakes of one line in stores that are right otherwise: what the kits find of them is counted, and each that they miss is
// in the list below. One of three is tried, in the long mode all.
vi.setConfig({ testTimeout: 600_000 })

const isTried = (index: number): boolean => process.env.TEST_TIER === '3' || index % 3 === 0

/** A test of a kit that waits for longer has found a mistake, too. */
const patienceMs = 15_000
const optional = ['getMany', 'listRoleHolders', 'reservations'] as const

type Describe<Store> = (runner: KitRunner, store: Store) => void

/** Returns the mistakes that no test of the kit finds. */
async function missedOf<Store>(
  stores: readonly CarelessStore<Store>[],
  describeKit: Describe<Store>,
): Promise<readonly string[]> {
  const missed: string[] = []
  // One after the other: they share a clock.
  for (const { mistake, createStore } of stores) {
    if ((await firstFailure(createStore(), describeKit)) === null) missed.push(mistake)
  }
  return missed.sort()
}

/** Returns the title of the first test that fails. */
async function firstFailure<Store>(store: Store, describeKit: Describe<Store>): Promise<string | null> {
  for (const { title, body } of collectTests((runner) => describeKit(runner, store))) {
    const late = new Promise<never>((_resolve, reject) =>
      setTimeout(() => reject(new Error('late')), patienceMs).unref(),
    )
    const hasPassed = await Promise.race([body(), late]).then(
      () => true,
      () => false,
    )
    if (!hasPassed) return title
  }
  return null
}

interface Counted {
  readonly contract: string
  readonly known: number
  /** How many are tried. */
  readonly count: number
  readonly find: () => Promise<readonly string[]>
  /** The title of a test that fails without a mistake; `null`: none. */
  readonly failsSound: () => Promise<string | null>
}

function counted<Store>(
  contract: string,
  create: () => Store,
  stores: readonly CarelessStore<Store>[],
  describeKit: Describe<Store>,
): Counted {
  const failsSound = () => firstFailure(create(), describeKit)
  const tried = stores.filter((_store, index) => isTried(index))
  return { contract, known: stores.length, count: tried.length, find: () => missedOf(tried, describeKit), failsSound }
}

const kits: readonly Counted[] = [
  counted(
    'RecordStore',
    () => createMemoryRecordStore({ now: kitClock.now }),
    carelessRecords,
    (runner, store) => describeRecordStore({ ...runner, ...kitClock, createStore: () => store }),
  ),
  counted('DocumentStore', createMemoryDocumentStore, carelessDocuments, (runner, store) =>
    describeDocumentStore({ ...runner, createStore: () => store }),
  ),
  counted(
    'CounterStore',
    () => createMemoryCounterStore({ now: kitClock.now }),
    carelessCounters,
    (runner, store) => describeCounterStore({ ...runner, ...kitClock, createStore: () => store }),
  ),
  counted('AccountStore', createMemoryAccountStore, carelessAccounts, (runner, store) =>
    describeAccountStore({ ...runner, createStore: () => store, optional }),
  ),
  counted('AuditStore', createMemoryAuditStore, carelessAudit, (runner, store) =>
    describeAuditStore({ ...runner, createStore: () => store }),
  ),
  counted('Broadcast', createMemoryBroadcast, carelessBroadcasts, (runner, store) =>
    describeBroadcast({ ...runner, createBroadcast: () => store }),
  ),
]

test.each(kits)('the kit of $contract passes without a mistake', async ({ failsSound }) => {
  expect(await failsSound()).toBeNull()
})

test('the kits find at least 95 % of the careless mistakes of six contracts', async () => {
  const found = []
  for (const { contract, count, find } of kits) found.push({ contract, count, missed: await find() })
  const sum = found.reduce((all, { count }) => all + count, 0)
  const missed = found.flatMap(({ contract, missed: names }) => names.map((name) => `${contract}: ${name}`))
  const counts = found.map(({ contract, count, missed: names }) => `${contract} ${count - names.length}/${count}`)
  process.stdout.write(`  ${sum - missed.length} of ${sum} mistakes found (${counts.join(', ')})\n`)
  process.stdout.write(missed.map((name) => `  missed: ${name}\n`).join(''))
  expect(kits.reduce((all, { known }) => all + known, 0)).toBeGreaterThanOrEqual(300)
  expect((sum - missed.length) / sum).toBeGreaterThanOrEqual(0.95)
})
