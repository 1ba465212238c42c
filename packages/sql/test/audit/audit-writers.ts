import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createAuditLog, verifyAudit } from '@latchkey/audit'
import type { AuditStore } from '@latchkey/store'
import { expect } from 'vitest'
import { auditSecrets as secrets } from '../fixtures/audit-secrets.ts'

const program = fileURLToPath(new URL('../fixtures/write-audit.ts', import.meta.url))

function startWriter(database: string, decisions: number, how: 'end' | 'hang') {
  const options = ['--conditions=@latchkey/source', program, database, String(decisions), how]
  return spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Three processes with fifty writers each leave three chains, in which nothing is missing. */
export async function expectChainsOfThree(database: string, audit: AuditStore): Promise<void> {
  const children = [1, 2, 3].map(() => startWriter(database, 4, 'end'))
  expect(await Promise.all(children.map(async (child) => (await once(child, 'close'))[0]))).toEqual([0, 0, 0])
  const verdict = await verifyAudit({ store: audit, secrets })
  expect(verdict).toMatchObject({ ok: true, chains: 3, unknown: 0 })
  // Each decision is two rows, and each chain begins and ends with a checkpoint.
  expect(verdict.rows).toBe(3 * (50 * 4 * 2 + 2))
}

/** A process that is killed between the intention and the outcome leaves what is shown as unknown. */
export async function expectUnknownAfterKill(database: string, audit: AuditStore): Promise<void> {
  const child = startWriter(database, 1, 'hang')
  await once(child.stdout, 'data')
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  expect((await closed)[1]).toBe('SIGKILL')
  expect(await verifyAudit({ store: audit, secrets })).toMatchObject({ ok: true, chains: 1, unknown: 50 })
  const log = createAuditLog({ store: audit, secrets })
  const { items } = await log.list({ accountId: 'acc_7' })
  expect(items.map(({ state }) => state)).toEqual(['unknown', 'done'])
  // The next process knows how far the killed one had come, without a checkpoint of its own.
  await log.record({ kind: 'a.b', accountId: null, actorId: null, address: null, userAgent: null, requestId: null })
  await log.close()
  expect(await verifyAudit({ store: audit, secrets })).toMatchObject({ ok: true, chains: 2 })
}
