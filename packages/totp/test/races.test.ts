import { createMemoryDocumentStore, type FactorVerdict } from '@latchkey/store'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { describe, expect, test } from 'vitest'
import { codeAt } from './authenticator.ts'
import { account, failuresOf, refused, secrets } from './open-totp.ts'

const now = () => 1_800_000_000_000
const later = () => now() + 60_000

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Each call takes turns of the event loop before and after it takes effect, as over a network: another number each time. */
function delayed<Store extends object>(store: Store): Store {
  let drawn = 20_261_122
  const wait = async () => {
    drawn = (drawn * 48_271) % 2_147_483_647
    for (let left = drawn % 4; left > 0; left--) await turn()
  }
  const late = Object.entries(store).map(([name, method]) => {
    if (typeof method !== 'function') return [name, method]
    const call = async (...given: unknown[]) => {
      await wait()
      const result = await method(...given)
      await wait()
      return result
    }
    return [name, call]
  })
  return Object.fromEntries(late)
}

const openMemory = async () => ({ documents: createMemoryDocumentStore() })

const fifty = <Result>(call: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: 50 }, (_, index) => call(index)))

const reasonsOf = (verdicts: readonly (FactorVerdict | { ok: boolean; reason?: string })[]) =>
  new Set(verdicts.flatMap((verdict) => ('reason' in verdict ? [verdict.reason] : [])))
const winnersOf = (verdicts: readonly { ok: boolean }[]) => verdicts.filter(({ ok }) => ok)

test('only one of four simultaneous enrolments can be confirmed', async () => {
  const totp = createTotp({ ...(await openDelayed()), secrets, issuer: 'Example', now })
  const four = [totp, totp, totp, totp]
  const enrolled = await Promise.all(four.map((one) => one.enroll(account, 'ada@example.com')))
  const verdicts: FactorVerdict[] = []
  for (const { secret } of enrolled) verdicts.push(await totp.confirm(account, codeAt(secret, now())))
  expect(winnersOf(verdicts)).toHaveLength(1)
})

test('a write that was held up since before a removal does not bring the old secret back', async () => {
  const { documents } = await openMemory()
  const held: (() => Promise<boolean>)[] = []
  const slow = {
    ...documents,
    replace: async (...given: Parameters<typeof documents.replace>) => {
      held.push(() => documents.replace(...given))
      return true
    },
  }
  const options = { secrets, issuer: 'Example' }
  const totp = createTotp({ documents, ...options, now })
  const enroll = async () => {
    const { secret } = await totp.enroll(account, 'ada@example.com')
    expect(await totp.confirm(account, codeAt(secret, now()))).toMatchObject({ ok: true })
    return secret
  }
  const before = await enroll()
  expect(
    await createTotp({ documents: slow, ...options, now: later }).verify(account, codeAt(before, later())),
  ).toMatchObject({
    ok: true,
  })
  expect(await totp.remove(account)).toBe(true)
  const after = await enroll()
  expect(held).toHaveLength(1)
  for (const write of held) expect(await write()).toBe(false)
  const open = createTotp({ documents, ...options, now: later })
  expect(await open.verify(account, codeAt(before, later()))).toMatchObject(refused('wrong'))
  expect(await open.verify(account, codeAt(after, later()))).toMatchObject({ ok: true })
})

async function openDelayed() {
  const { documents } = await openMemory()
  return { documents: delayed(documents) }
}

describe.each([
  ['a store in memory', openMemory],
  ['a store behind a network', openDelayed],
])('on %s, of fifty calls at once', (_name, openStores) => {
  async function openAll() {
    const { documents } = await openStores()
    const open = (time: () => number) => createTotp({ documents, secrets, issuer: 'Example', now: time })
    return { documents, totp: open(now), afterwards: open(later) }
  }

  async function openEnrolled() {
    const stores = await openAll()
    const { secret } = await stores.totp.enroll(account, 'ada@example.com')
    await stores.totp.confirm(account, codeAt(secret, now()))
    return { ...stores, secret }
  }

  test('with one code, one is accepted, and the losers are not counted as failures', async () => {
    const { afterwards, documents, secret } = await openEnrolled()
    const verdicts = await fifty(() => afterwards.verify(account, codeAt(secret, later())))
    expect(winnersOf(verdicts)).toHaveLength(1)
    const overtaken = verdicts.filter((verdict) => !verdict.ok && verdict.reason === 'overtaken')
    const late = verdicts.filter((verdict) => !verdict.ok && verdict.reason === 'used')
    expect(overtaken.length + late.length).toBe(49)
    expect(await failuresOf(documents)).toBeLessThanOrEqual(late.length)
  })

  test('confirming one enrolment, one succeeds, and only its beforeActivation runs', async () => {
    const { totp, documents } = await openAll()
    const { secret } = await totp.enroll(account, 'ada@example.com')
    let calls = 0
    const beforeActivation = async () => {
      calls++
      return true
    }
    const verdicts = await fifty((index) =>
      totp.confirm(account, codeAt(secret, now() + ((index % 3) - 1) * 30_000), { beforeActivation }),
    )
    expect(winnersOf(verdicts)).toHaveLength(1)
    expect(calls).toBe(1)
    expect([...reasonsOf(verdicts)].filter((reason) => reason !== 'overtaken' && reason !== 'not-enrolled')).toEqual([])
    expect(
      (await documents.listByOwner(account)).items.filter(({ collection }) => collection === 'factor-totp'),
    ).toHaveLength(1)
  })

  test('with wrong codes for an enrolment, five are counted and cancel it', async () => {
    const { totp } = await openAll()
    const { secret } = await totp.enroll(account, 'ada@example.com')
    const right = [-1, 0, 1].map((step) => codeAt(secret, now() + step * 30_000))
    const wrong = ['000000', '000001', '000002', '000003'].find((code) => !right.includes(code)) ?? ''
    const verdicts = await fifty(() => totp.confirm(account, wrong))
    expect(verdicts.filter((verdict) => !verdict.ok && verdict.reason === 'wrong')).toHaveLength(5)
    expect(await totp.confirm(account, codeAt(secret, now()))).toEqual(refused('not-enrolled'))
  })

  test('removing the factor, one returns true', async () => {
    const { totp } = await openEnrolled()
    expect((await fifty(() => totp.remove(account))).filter(Boolean)).toHaveLength(1)
  })

  test('using one recovery code, one is accepted', async () => {
    const { documents } = await openStores()
    const codes = createRecoveryCodes({ documents, secrets, now })
    const [code = ''] = await codes.generate(account)
    const verdicts = await fifty(() => codes.verify(account, code))
    expect(winnersOf(verdicts)).toHaveLength(1)
    expect([...reasonsOf(verdicts)].filter((reason) => reason !== 'overtaken' && reason !== 'used')).toEqual([])
    expect(await codes.find(account)).toMatchObject({ remaining: 9 })
  })

  test('using ten recovery codes, each is accepted once', async () => {
    const { documents } = await openStores()
    const codes = createRecoveryCodes({ documents, secrets, now })
    const set = await codes.generate(account)
    const verdicts = await fifty((index) => codes.verify(account, set[index % set.length] ?? ''))
    expect(winnersOf(verdicts)).toHaveLength(10)
    expect(await codes.find(account)).toMatchObject({ remaining: 0 })
  })
})
