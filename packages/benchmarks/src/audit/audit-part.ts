import { randomBytes } from 'node:crypto'
import { type AuditLog, createAuditLog } from '@latchkey/audit'
import type { PartReport, PartRun } from '../part.ts'
import { chartOfRounds, measureRounds } from '../rounds.ts'
import { median } from '../statistics.ts'
import { formatNumber } from '../table.ts'
import { auditStores, type OpenAuditStore } from './audit-stores.ts'

const facts = {
  kind: 'session.created',
  accountId: 'acc_1',
  actorId: 'acc_1',
  address: '203.0.113.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  requestId: 'Zk3vQm1T9sLr0aXe',
}

/** How many decisions are under way at once. */
const loads = [1, 50]

/** Microseconds for one decision: the row before its effect, and the one after it. */
export async function measureAudit(run: PartRun): Promise<PartReport> {
  const opened: OpenAuditStore[] = []
  const ways = new Map<string, () => Promise<number>>()
  for (const [name, open] of Object.entries(auditStores)) {
    const place = await open()
    if (!place) continue
    opened.push(place)
    const log = createAuditLog({ store: place.store, secrets: [{ id: '2026-01', bytes: randomBytes(32) }] })
    for (const load of loads) ways.set(wayOf(name, load), () => microsecondsOf(log, load, run.seconds))
  }
  const figures = await measureRounds(run, [...ways.keys()], async (name) => (await ways.get(name)?.()) ?? Number.NaN)
  for (const place of opened) await place.close()
  return {
    tables: [
      {
        title: 'One decision, two rows',
        head: ['store', 'µs for each, one at a time', 'µs for each, 50 under way'],
        rows: Object.keys(auditStores).map((name) => [
          name,
          ...loads.map((load) => formatNumber(median(figures[wayOf(name, load)] ?? []))),
        ]),
        chart: chartOfRounds('µs for a decision', figures),
      },
    ],
    targets: [],
    figures,
  }
}

function wayOf(store: string, load: number): string {
  return load === 1 ? `${store}, one at a time` : `${store}, ${load} under way`
}

/** Returns the time for each of all decisions together. */
async function microsecondsOf(log: AuditLog, load: number, seconds: number): Promise<number> {
  const start = performance.now()
  const end = start + seconds * 1000
  let decisions = 0
  async function decide(): Promise<void> {
    while (performance.now() < end) {
      const intent = await log.intend(facts)
      await intent.done()
      decisions++
    }
  }
  await Promise.all(Array.from({ length: load }, decide))
  return ((performance.now() - start) * 1000) / decisions
}
