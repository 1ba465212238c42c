import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createLmdbStores, type LmdbStores } from '../src/lmdb-stores.ts'

function newDatabase(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-lmdb-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'database')
}

function openStores(path: string, deadlineMs: number): LmdbStores {
  const stores = createLmdbStores({ path, deadlineMs })
  onTestFinished(() => stores.close())
  return stores
}

function argumentsOf(name: string, given: readonly string[]): string[] {
  return ['--conditions=@latchkey/source', fileURLToPath(new URL(name, import.meta.url)), ...given]
}

/** Runs a program of this folder to its end, without a turn of the event loop. */
function runNow(name: string, ...given: readonly string[]): void {
  expect(spawnSync(process.execPath, argumentsOf(name, given)).status).toBe(0)
}

/** Starts a program of this folder. */
function start(name: string, ...given: readonly string[]) {
  const child = spawn(process.execPath, argumentsOf(name, given), { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill())
  return child
}

const rounds = 25
const outage = { name: 'StoreError', code: 'STORE_UNAVAILABLE' }
const expiresAt = Date.now() + 3_600_000

test('one of four processes wins the race for each record and document', async () => {
  const path = newDatabase()
  const outputs = await Promise.all([1, 2, 3, 4].map(() => text(start('contender.ts', path, String(rounds)).stdout)))
  const won: Record<string, number>[] = outputs.map((output) => JSON.parse(output))
  const sum = (name: string) => won.reduce((all, one) => all + (one[name] ?? 0), 0)
  expect({ replaces: sum('replaces'), hits: sum('hits') }).toEqual({ replaces: rounds, hits: 4 * rounds })
  expect(sum('removals')).toBe(sum('inserts'))
  const { counters, records, documents } = openStores(path, 20_000)
  expect(await counters.hit('kit_hits', 1000, 0)).toMatchObject({ count: 4 * rounds })
  expect((await records.listByOwner('acc_1')).items).toEqual([])
  expect((await documents.listByOwner('acc_1')).items).toHaveLength(rounds)
})

test('a read sees what another process has written since the read before, in one turn of the event loop', async () => {
  const path = newDatabase()
  const { documents } = openStores(path, 20_000)
  const before = documents.list('kit-race')
  runNow('contender.ts', path, '1')
  const after = documents.list('kit-race')
  expect((await before).items).toEqual([])
  expect((await after).items).toHaveLength(1)
})

test('a change that waits for a process which hangs is given up at the deadline, and not made later', async () => {
  const path = newDatabase()
  const { records, documents, counters } = openStores(path, 250)
  await documents.insert({ collection: 'kit', id: '1', owner: 'acc_1', version: 'v1', value: 'first' })
  const holder = start('hold-lock.ts', path, '2000')
  await once(holder.stdout, 'data')

  const startedAt = performance.now()
  const changes = [
    records.insert({ key: 'kit_1', owner: null, expiresAt, value: '{}' }),
    documents.replace({ collection: 'kit', id: '1', version: 'v1' }, { version: 'v2', value: 'late' }),
    documents.removeByOwner('acc_1'),
    counters.hit('kit_1', 60_000),
  ]
  for (const change of changes) await expect(change).rejects.toMatchObject(outage)
  expect(performance.now() - startedAt).toBeLessThan(1500)

  await ended(holder)
  expect(await records.get('kit_1')).toBe(null)
  expect(await documents.get('kit', '1')).toMatchObject({ version: 'v1', value: 'first' })
  expect(await counters.hit('kit_1', 60_000)).toMatchObject({ count: 1 })
})

/** Resolves when the process has ended, and fails when it failed. */
async function ended(child: ChildProcess): Promise<void> {
  const code = child.exitCode ?? (await once(child, 'exit'))[0]
  expect(code).toBe(0)
}
