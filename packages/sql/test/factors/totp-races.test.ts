import { DatabaseSync } from 'node:sqlite'
import { createSqliteStores } from '@latchkey/sql'
import { codeAt } from '@latchkey/test-services'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { expect, test } from 'vitest'

const account = 'acc_1'
const secrets = [{ id: '2026-11', bytes: new Uint8Array(32).fill(7) }] as const
const time = 1_800_000_000_000

async function openFactors() {
  const { documents, migrate } = createSqliteStores({ database: () => new DatabaseSync(':memory:') })
  await migrate()
  const open = (now: () => number) => createTotp({ documents, secrets, issuer: 'Example', now })
  const codes = createRecoveryCodes({ documents, secrets, now: () => time })
  return { totp: open(() => time), afterwards: open(() => time + 60_000), codes }
}

const fifty = <Result>(call: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: 50 }, (_, index) => call(index)))
const winnersOf = (verdicts: readonly { ok: boolean }[]) => verdicts.filter(({ ok }) => ok)

test('of fifty simultaneous confirmations of an enrolment one succeeds, and of fifty uses of a later code one', async () => {
  const { totp, afterwards } = await openFactors()
  const { secret } = await totp.enroll(account, 'ada@example.com')
  let calls = 0
  const beforeActivation = async () => ++calls > 0
  const confirmed = await fifty((index) =>
    totp.confirm(account, codeAt(secret, time + ((index % 3) - 1) * 30_000), { beforeActivation }),
  )
  expect([winnersOf(confirmed).length, calls]).toEqual([1, 1])
  const verified = await fifty(() => afterwards.verify(account, codeAt(secret, time + 60_000)))
  expect(winnersOf(verified)).toHaveLength(1)
})

test('of fifty simultaneous uses of ten recovery codes ten succeed', async () => {
  const { codes } = await openFactors()
  const set = await codes.generate(account)
  const verdicts = await fifty((index) => codes.verify(account, set[index % set.length] ?? ''))
  expect(winnersOf(verdicts)).toHaveLength(10)
  expect(await codes.find(account)).toMatchObject({ remaining: 0 })
})

test('of fifty simultaneous removals of a factor one returns true', async () => {
  const { totp } = await openFactors()
  const { secret } = await totp.enroll(account, 'ada@example.com')
  await totp.confirm(account, codeAt(secret, time))
  expect((await fifty(() => totp.remove(account))).filter(Boolean)).toHaveLength(1)
})
