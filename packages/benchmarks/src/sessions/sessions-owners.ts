import { createSessions } from '@latchkey/sessions'
import type { PartReport, PartRun } from '../part.ts'
import { median } from '../statistics.ts'
import { type Chart, formatNumber, type Table } from '../table.ts'
import { stores } from './sessions-stores.ts'

/** Milliseconds to list all sessions of one account, and to end them, by store and number of sessions. */
interface OwnerFigures {
  readonly store: string
  readonly sessions: number
  readonly listMs: number[]
  readonly revokeAllMs: number[]
}

export async function measureSessionsOwners({ rounds, own, progress }: PartRun): Promise<PartReport> {
  const sizes = (own.sessions ?? '').split(',').map(Number)
  const wanted = own.store ?? ''
  const all: OwnerFigures[] = []
  for (const [store, open] of Object.entries(stores).filter(([name]) => name.toLowerCase().includes(wanted))) {
    const opened = await open()
    if (!opened) continue
    const sessions = createSessions({ records: opened.records })
    for (const size of sizes) {
      progress(`${store}: ${size} sessions`)
      const figures: OwnerFigures = { store, sessions: size, listMs: [], revokeAllMs: [] }
      for (let round = 0; round < rounds; round++) {
        const subject = `acc_${size}_${round}`
        await fill(size, () => sessions.create({ subject, factors: [] }))
        figures.listMs.push(await time(async () => check(size, (await sessions.list(subject)).length)))
        figures.revokeAllMs.push(await time(async () => check(size, await sessions.revokeAll(subject))))
        check(0, (await sessions.list(subject)).length)
      }
      all.push(figures)
    }
    await opened.close()
  }
  return { tables: [writeTable(all)], targets: [], figures: all }
}

function writeTable(all: readonly OwnerFigures[]): Table {
  const rows = all.map(({ store, sessions, listMs, revokeAllMs }) => [
    store,
    String(sessions),
    formatNumber(median(listMs)),
    formatNumber(median(revokeAllMs)),
    formatNumber((median(revokeAllMs) * 1000) / sessions),
  ])
  const head = ['store', 'sessions', 'list, ms', 'revoke all, ms', 'revoke all, µs for each']
  const bars = all.map(({ store, sessions, listMs, revokeAllMs }) => ({
    label: `${store}, ${sessions}`,
    values: [median(listMs), median(revokeAllMs)].map((ms) => (ms * 1000) / sessions),
  }))
  const chart: Chart = { unit: 'µs for each session', better: 'less', series: ['list', 'revoke all'], bars }
  return { title: 'All sessions of one account', head, rows, chart }
}

async function fill(size: number, create: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < size; done += 200) {
    await Promise.all(Array.from({ length: Math.min(200, size - done) }, create))
  }
}

async function time(action: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await action()
  return performance.now() - start
}

function check(expected: number, actual: number): void {
  if (expected !== actual) throw new Error(`${actual} sessions instead of ${expected}`)
}
