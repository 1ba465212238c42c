import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import type { StoredIdentity } from '@latchkey/accounts'
import { createSqliteStores } from '@latchkey/sql'
import { expect, onTestFinished, test } from 'vitest'
import { newDatabaseFile } from '../database-file.ts'
import type { IdentityTask } from '../fixtures/identity-process.ts'

const program = fileURLToPath(new URL('../fixtures/identity-process.ts', import.meta.url))
const rounds = process.env.TEST_TIER === '3' ? 2_000 : 100
const key = 'se_ada'
const owner = 'acc_ada'

/** Four processes on one file of SQLite. */
async function start() {
  const file = newDatabaseFile()
  const house = createSqliteStores({ database: () => new DatabaseSync(file) })
  onTestFinished(() => house.close())
  await house.migrate()
  const account = { id: owner, email: 'ada@example.com', name: 'Ada', roles: ['READER'], epoch: 0 }
  await house.accounts.insert({ ...account, status: 'active', passwordHash: null })
  const execArgv = ['--conditions=@latchkey/source', '--no-warnings']
  const children = Array.from({ length: 4 }, () => fork(program, [file], { execArgv, serialization: 'advanced' }))
  onTestFinished(() => {
    for (const child of children) child.disconnect()
  })
  await Promise.all(children.map((child) => once(child, 'message')))
  return children
}

async function ask(child: ChildProcess, task: IdentityTask): Promise<StoredIdentity | null> {
  const answer = once(child, 'message')
  child.send(task)
  return (await answer)[0]
}

interface Change {
  readonly task: (round: number) => IdentityTask
  /** Whether an identity that is read after it is as it has to be. */
  readonly holds: (found: StoredIdentity | null, round: number) => boolean
}

const changes: readonly (readonly [name: string, Change])[] = [
  ['a session that has ended', { task: () => ({ remove: key }), holds: (found) => found === null }],
  ['a session that has begun', { task: () => ({ insert: key, owner }), holds: (found) => found !== null }],
  [
    'other roles',
    {
      task: (round) => ({ account: owner, change: { roles: [`ROLE_${round}`] } }),
      holds: (found, round) => found?.account.roles[0] === `ROLE_${round}`,
    },
  ],
  [
    'another epoch',
    {
      task: (round) => ({ account: owner, epoch: round + 1, keptKey: key }),
      holds: (found, round) => found?.account.epoch === round + 1,
    },
  ],
  [
    'a lock',
    {
      task: () => ({ account: owner, change: { status: 'locked' } }),
      holds: (found) => found?.account.status === 'locked',
    },
  ],
  [
    'an unlocked account',
    {
      task: () => ({ account: owner, change: { status: 'active' } }),
      holds: (found) => found?.account.status === 'active',
    },
  ],
  ['a denial', { task: (round) => ({ deny: `jti:${round}` }), holds: (found) => found?.isDenied === true }],
]

test('a change by one of four processes is seen by the others once it is answered', async () => {
  const children = await start()
  await ask(children[0]!, { insert: key, owner })
  for (let round = 0; round < rounds; round++) {
    for (const [index, [name, { task, holds }]] of changes.entries()) {
      const read = { read: key, denialIds: [`jti:${round}`] }
      // What they keep is what was so before.
      for (let times = 0; times < 2; times++) await Promise.all(children.map((child) => ask(child, read)))
      await ask(children[(round + index) % children.length]!, task(round))
      const found = await Promise.all(children.map((child) => ask(child, read)))
      const stale = found.flatMap((one, place) => (holds(one, round) ? [] : [place]))
      expect(stale, `${name}, round ${round}`).toEqual([])
    }
  }
}, 300_000)
