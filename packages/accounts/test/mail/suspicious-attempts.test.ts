import { createMemoryCounterStore, StoreError } from '@latchkey/store'
import { beforeEach, describe, expect, test } from 'vitest'
import { email } from '../bench.ts'
import { challengeOf, createFactorsBench, type Enrolled, type FactorsBench } from '../factors/factors-bench.ts'

let bench: FactorsBench
let app: Enrolled
beforeEach(async () => {
  await open()
})

async function open(options: Parameters<typeof createFactorsBench>[0] = {}): Promise<void> {
  bench = createFactorsBench(options)
  app = await bench.enrollTotp(await bench.insert())
  bench.advance(60)
  await mailed()
}

const begin = () => challengeOf(bench.tryPassword())
const answer = (challenge: string, code = '000000') =>
  bench.accounts.verifySecondFactor({ challenge, code, delivery: 'session' })

async function guess(times: number, code?: string): Promise<void> {
  const challenge = await begin()
  for (let shown = 0; shown < times; shown++) expect(await answer(challenge, code)).toMatchObject({ ok: false })
}

/** The mails since it was called last. */
async function mailed() {
  await bench.accounts.settled()
  return bench.outbox.splice(0)
}

describe('wrong codes after the right password', () => {
  test('send one mail to the owner at the fifth, over all challenges, within a day', async () => {
    await guess(4)
    expect(await mailed()).toEqual([])
    await guess(1)
    const data = { resetUrl: 'https://example.com/reset', at: bench.now(), first: 'password' }
    expect(await mailed()).toMatchObject([{ kind: 'codes-guessed', to: email, data, url: null }])
    for (let round = 0; round < 4; round++) await guess(5)
    bench.advance(86_399)
    await guess(5)
    expect(await mailed()).toEqual([])
  })

  test('send another mail on the next day', async () => {
    await guess(5)
    expect(await mailed()).toHaveLength(1)
    bench.advance(86_400)
    await guess(4)
    expect(await mailed()).toEqual([])
    await guess(1)
    expect(await mailed()).toMatchObject([{ kind: 'codes-guessed' }])
  })

  test('parallel attempts at two processes send one mail', async () => {
    const counters = createMemoryCounterStore({ now: () => bench.now() })
    await open({ options: { counters } })
    const challenges = await Promise.all(Array.from({ length: 6 }, begin))
    await Promise.all(challenges.flatMap((challenge) => Array.from({ length: 5 }, () => answer(challenge))))
    expect(await mailed()).toMatchObject([{ kind: 'codes-guessed' }])
    const other = createFactorsBench({ options: { counters } })
    await other.enrollTotp(await other.insert())
    other.advance(60)
    const challenge = await challengeOf(other.tryPassword())
    for (let shown = 0; shown < 5; shown++)
      await other.accounts.verifySecondFactor({ challenge, code: '000000', delivery: 'session' })
    await other.accounts.settled()
    expect(other.outbox.map(({ kind }) => kind)).not.toContain('codes-guessed')
  })

  test('count if they are used codes, and if the app is disabled', async () => {
    await guess(1)
    const [used = ''] = app.codes
    await answer(await begin(), used)
    await mailed()
    await guess(3, used)
    expect(await mailed()).toEqual([])
    for (let shown = 0; shown < 100; shown++)
      await bench.accounts.disableTotp({ identity: app.identity, code: '000000' })
    await mailed()
    await guess(1)
    expect(bench.events.at(-1)).toMatchObject({ type: 'second-factor.failed', reason: 'kind-refused' })
    expect(await mailed()).toMatchObject([{ kind: 'codes-guessed' }])
  })

  test('do not count if the challenge is over, and right codes do not count', async () => {
    await guess(4)
    expect(await answer(await begin(), bench.codeOf(app.secret))).toMatchObject({ ok: true })
    for (let shown = 0; shown < 5; shown++)
      expect(await answer('factor_AAAA.AAAA')).toEqual({ ok: false, reason: 'invalid-credentials' })
    expect(await mailed()).toEqual([])
  })

  test.each([
    ['challenge-ended', () => app.codes.slice(0, 2)],
    ['factor-overtaken', () => Array.from({ length: 2 }, () => bench.codeOf(app.secret))],
  ] as const)('do not count right codes that lose a race: %s', async (reason, codes) => {
    await guess(4)
    const challenge = await begin()
    await Promise.all(codes().map((code) => answer(challenge, code)))
    expect(bench.events.filter(({ type }) => type === 'second-factor.failed').at(-1)).toMatchObject({ reason })
    expect((await mailed()).map(({ kind }) => kind)).not.toContain('codes-guessed')
  })

  test('are still refused while the counters fail, and an event reports the failure', async () => {
    const hit = () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down'))
    await open({ options: { counters: { ...createMemoryCounterStore(), hit } } })
    bench.events.length = 0
    await guess(1)
    await bench.accounts.settled()
    const failed = { type: 'mail.failed', purpose: 'codes-guessed', failure: 'STORE_UNAVAILABLE' }
    expect(bench.events.at(-1)).toMatchObject(failed)
    expect(await mailed()).toEqual([])
  })

  test('are refused before the mail is sent, even if the mailer never answers', async () => {
    let release = () => {}
    const hanging = new Promise<void>((resolve) => {
      release = resolve
    })
    const sent: string[] = []
    await open({
      options: {
        mails: {
          mailer: {
            async send({ kind }) {
              if (kind === 'codes-guessed') await hanging
              sent.push(kind)
            },
          },
        },
      },
    })
    await guess(5)
    expect(sent).not.toContain('codes-guessed')
    release()
    await bench.accounts.settled()
    expect(sent).toContain('codes-guessed')
  })
})

test('an app disabled by a hundred wrong codes sends one mail, and works again after a new enrolment', async () => {
  for (let round = 0; round < 20; round++) await guess(5)
  const [first, second, ...rest] = await mailed()
  expect([first, second]).toMatchObject([
    { kind: 'codes-guessed' },
    {
      kind: 'factor-disabled',
      to: email,
      data: { accountUrl: 'https://example.com/account', factor: 'totp' },
      url: null,
    },
  ])
  expect(rest).toEqual([])
  await guess(5)
  expect((await mailed()).map(({ kind }) => kind)).not.toContain('factor-disabled')

  const signedIn = await answer(await begin(), app.codes[0])
  if (!signedIn.ok) throw new Error('the recovery code was refused')
  const { identity } = signedIn
  const begun = await bench.accounts.startTotpEnrollment({ identity })
  if (!begun.ok) throw new Error('no enrolment has begun')
  const code = bench.codeOf(begun.secret)
  expect(await bench.accounts.confirmTotpEnrollment({ identity, code })).toMatchObject({ ok: true })
  bench.advance(60)
  expect(await answer(await begin(), bench.codeOf(begun.secret))).toMatchObject({ ok: true })
})
