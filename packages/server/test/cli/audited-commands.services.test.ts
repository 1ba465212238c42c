import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createCommandProject } from '../support/run-latchkey.ts'

// Where others use the machine too, a process takes many times as long as alone.
vi.setConfig({ testTimeout: 240_000 })

const project = createCommandProject()
const { latchkey, write } = project

write(
  'server.ts',
  `
import { DatabaseSync } from 'node:sqlite'
import { definePolicy } from '@latchkey/rbac'
import { createServer, createTerminalMailer, type Server } from '@latchkey/server'
import { createFileSecrets } from '@latchkey/server/node'
import { createSqliteStores } from '@latchkey/sql'
export const server: Server = createServer({
  baseUrl: 'http://127.0.0.1:4000',
  mails: { mailer: createTerminalMailer() },
  secrets: createFileSecrets({ path: 'secret' }),
  stores: createSqliteStores({ database: () => new DatabaseSync('audited.db') }),
  signUp: 'closed',
  policy: definePolicy({ permissions: ['notes:write'], roles: { READER: {}, ADMIN: { permissions: ['notes:write'] } } }),
  typeDefs: 'type Query { note: String! @public }',
  resolvers: {},
})`,
)

const email = 'ada@example.com'
const file = 'server.ts'

beforeAll(async () => {
  const { exitCode, stderr } = await latchkey(['migrate', file])
  if (exitCode !== 0) throw new Error(stderr)
})
afterAll(() => project.remove())

/** The rows of each chain, the chains in their order. */
function readChains(): readonly (readonly string[])[] {
  const database = new DatabaseSync(join(project.folder, 'audited.db'), { readOnly: true })
  const rows = database.prepare('select chain, kind, state from latchkey_audit order by rowid').all()
  database.close()
  const chains = new Map<unknown, string[]>()
  for (const { chain, kind, state } of rows) chains.set(chain, [...(chains.get(chain) ?? []), `${kind} ${state}`])
  return [...chains.values()]
}

test('a command writes its decisions into a new chain that has a final checkpoint', async () => {
  const commands: readonly (readonly [readonly string[], string])[] = [
    [['accounts', 'create', file, email, '--role', 'READER'], 'account.created'],
    [['accounts', 'set-role', file, email, 'ADMIN'], 'role.changed'],
    [['accounts', 'lock', file, email], 'account.locked'],
    [['accounts', 'unlock', file, email], 'account.unlocked'],
    [['accounts', 'disable', file, email], 'account.disabled'],
    [['accounts', 'enable', file, email], 'account.enabled'],
    [['keys', 'rotate', file, '--now'], 'key.replaced'],
  ]
  const checkpoint = 'audit.checkpoint checkpoint'
  for (const [args, kind] of commands) {
    const before = readChains()
    const { exitCode, stderr } = await latchkey(args, {}, 'otters read quietly at dawn\n')
    expect({ args, exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ args, exitCode: 0, stderr: '' })
    const chains = readChains()
    expect(chains).toHaveLength(before.length + 1)
    const chain = chains.at(-1) ?? []
    expect(chain.filter((row) => row !== checkpoint)).toEqual([`${kind} intended`, `${kind} done`])
    expect(chain.at(-1)).toBe(checkpoint)
  }
})

test('a command without a decision writes no audit row', async () => {
  const before = readChains()
  await latchkey(['accounts', 'list', file])
  await latchkey(['accounts', 'set-role', file, email, 'ADMIN'])
  expect(readChains()).toEqual(before)
})
