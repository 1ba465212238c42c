import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { createSqliteStores, type SqliteDatabase } from '@latchkey/sql'
import BetterSqlite from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newDatabaseFile } from './database-file.ts'
import { expectOutage, expectRecovery } from './measure.ts'

const drivers: readonly (readonly [name: string, open: (file: string, readOnly?: boolean) => SqliteDatabase])[] = [
  ['node:sqlite', (file, readOnly = false) => new DatabaseSync(file, { readOnly })],
  ['better-sqlite3', (file, readonly = false) => new BetterSqlite(file, { readonly })],
]
const record = { key: 'se_1', owner: 'acc_1', expiresAt: Date.now() + 3_600_000, value: 'first' }
const swapped = { ...record, value: 'second' }

describe.each(drivers)('%s', (_driver, open) => {
  async function openStores(file: string, now = Date.now) {
    const stores = createSqliteStores({ database: () => open(file), now })
    onTestFinished(() => stores.close())
    await stores.migrate()
    return stores
  }

  test('a file that another process has locked: an outage in time, readers go on, and all is well when that process dies', async () => {
    const file = newDatabaseFile()
    const { records, check } = await openStores(file)
    await records.insert(record)
    const program = fileURLToPath(new URL('fixtures/hold-lock.ts', import.meta.url))
    const holder = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void holder.kill('SIGKILL'))
    await once(holder.stdout, 'data')
    await expectOutage('file locked, change', () => records.replace({ ...record, version: 1 }, swapped))
    await expectOutage('file locked, check()', check)
    expect(await records.get(record.key)).toEqual({ ...record, version: 1 })
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    await expectRecovery('after the lock', () => records.touch(record, record.expiresAt))
    expect(await records.get(record.key)).toEqual({ ...record, version: 1 })
    expect(await records.replace({ ...record, version: 1 }, swapped)).toBe(true)
  })

  test('a disk that is full: an outage, acknowledged changes stay, and changes work when there is space', async ({
    skip,
  }) => {
    const folder = mountSmallDisk()
    if (folder === null) return skip('a small disk can be mounted by root only')
    const { records, check } = await openStores(join(folder, 'app.db'))
    await records.insert(record)
    await check()
    writeFileSync(join(folder, 'filler'), new Uint8Array(1024 * 1024))
    const stored: string[] = []
    await expectOutage('disk full', async () => {
      for (let index = 0; ; index++) {
        const key = `filler_${index}`
        await records.insert({ ...record, key, value: 'x'.repeat(50_000) })
        stored.push(key)
      }
    })
    for (const key of [record.key, ...stored]) expect(await records.get(key), key).not.toBeNull()
    expect(await records.get(`filler_${stored.length}`)).toBeNull()
    // It takes less space than that record, and leaves less for sign-ins.
    await expectOutage('disk full, check()', async () => {
      for (;;) await check()
    })
    await expectOutage('disk full, sign-in', () => records.insert({ ...record, key: 'se_2' }))
    truncateSync(join(folder, 'filler'))
    await check()
    await expectRecovery('after the full disk', () => records.touch(record, record.expiresAt))
    expect(await records.replace({ ...record, version: 1 }, { ...record, value: 'x'.repeat(50_000) })).toBe(true)
  })

  test('check() rejects for a file that cannot be written', async () => {
    const file = newDatabaseFile()
    const { check } = await openStores(file)
    await check()
    const readOnly = createSqliteStores({ database: () => open(file, true) })
    onTestFinished(() => readOnly.close())
    expect(await readOnly.records.get(record.key)).toBeNull()
    await expect(readOnly.check()).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('it is read-only'),
    })
  })

  test('a moved clock takes effect, expired records are not swapped, and removed records stay removed', async () => {
    let time = Date.now()
    const { records } = await openStores(newDatabaseFile(), () => time)
    await records.insert(record)
    time += 86_400_000
    expect(await records.get(record.key)).toBeNull()
    expect(await records.replace({ ...record, version: 1 }, swapped)).toBe(false)
    expect(await records.touch(record, time + 1000)).toBe(false)
    time -= 86_400_000
    expect(await records.get(record.key)).toEqual({ ...record, version: 1 })
    time += 86_400_000
    await records.remove(record.key)
    time -= 86_400_000
    expect(await records.get(record.key)).toBeNull()
  })
})

/** A disk of 3 MB that goes with the test, or `null` where this process may not mount one. */
function mountSmallDisk(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    rmSync(folder, { recursive: true })
    return null
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true })
  })
  return folder
}
