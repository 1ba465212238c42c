import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createSqliteStores } from '@latchkey/sql'
import { expect, onTestFinished, test } from 'vitest'
import { newDatabaseFile } from './database-file.ts'

const program = fileURLToPath(new URL('fixtures/write-records.ts', import.meta.url))

/** A process of its own that writes; what it has acknowledged is in `lines`. */
function startWriter(file: string, name: string) {
  const options = ['--conditions=@latchkey/source', program, file, name]
  const child: ChildProcess = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  // A line that the kill cut off was not acknowledged to anybody.
  return {
    child,
    lines: () =>
      output
        .slice(0, output.lastIndexOf('\n') + 1)
        .split('\n')
        .filter(Boolean),
  }
}

test('processes that are killed while they write lose no acknowledged change', async () => {
  const file = newDatabaseFile()
  const stores = createSqliteStores({ database: () => new DatabaseSync(file), deadlineMs: 15_000 })
  onTestFinished(() => stores.close())
  await stores.migrate()

  const writers = ['one', 'two'].map((name) => startWriter(file, name))
  for (const { child, lines } of writers) {
    while (lines().length < 40) {
      if (child.exitCode !== null) throw new Error('the writer ended by itself')
      await setTimeout(5)
      // This process writes as well, so that there is a lock to fight for.
      await stores.counters.hit('parent', 60_000)
    }
  }
  for (const { child } of writers) {
    const closed = once(child, 'close')
    child.kill('SIGKILL')
    expect((await closed)[1]).toBe('SIGKILL')
  }

  for (const { lines } of writers) {
    const acknowledged = lines()
    expect(acknowledged.length).toBeGreaterThanOrEqual(40)
    for (const line of acknowledged) {
      const [what, key = ''] = line.split(' ')
      const record = await stores.records.get(key)
      expect(record, line).not.toBeNull()
      if (what === 'replaced') expect(record).toMatchObject({ version: 2, value: 'second' })
    }
  }
  const database = new DatabaseSync(file)
  expect(database.prepare('pragma integrity_check').all()).toMatchObject([{ integrity_check: 'ok' }])
  database.close()
  expect(await stores.records.insert({ key: 'after', owner: null, expiresAt: Date.now() + 60_000, value: '' })).toBe(
    true,
  )
})
