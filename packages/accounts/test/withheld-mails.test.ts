import { encodeBase64url, sha256 } from '@latchkey/bytes'
import { describe, expect, test } from 'vitest'
import { accountOf, type Bench, createBench, email, invalidLink, newPassword, password } from './bench.ts'

const stranger = 'nobody@example.com'
const tokenOf = (url: string | null | undefined) => new URL(url ?? '').searchParams.get('token') ?? ''

async function askTimes(bench: Bench, times: number, address = email): Promise<void> {
  for (let asked = 0; asked < times; asked++) {
    expect(await bench.accounts.requestPasswordReset({ email: address })).toBe(true)
  }
  await bench.accounts.settled()
}

async function signUpTimes({ accounts }: Bench, times: number): Promise<void> {
  for (let asked = 0; asked < times; asked++) {
    expect(await accounts.signUp({ email, password, name: `Reader ${asked}` })).toEqual({ accepted: true })
  }
  await accounts.settled()
}

const withheld = ({ events }: Bench) => events.filter(({ type }) => type === 'mail-withheld')

describe('however often resets are requested', () => {
  test('the owner of the address gets five mails, and what is withheld is an event', async () => {
    const bench = createBench()
    const { id: accountId } = await bench.insert()
    await askTimes(bench, 8)
    expect(bench.outbox).toHaveLength(5)
    const event = { type: 'mail-withheld', purpose: 'reset-password', accountId, at: bench.now() }
    expect(withheld(bench)).toEqual([event, event, event])
  })

  test('requests at the same time do not get more', async () => {
    const bench = createBench()
    await bench.insert()
    await Promise.all(Array.from({ length: 30 }, () => bench.accounts.requestPasswordReset({ email })))
    await bench.accounts.settled()
    expect(bench.outbox.length).toBeLessThanOrEqual(5)
  })

  test('the links that were sent work, and each of the others is removed', async () => {
    const bench = createBench()
    await bench.insert()
    await askTimes(bench, 8)
    const { items } = await bench.records.listByOwner(`reset_${encodeBase64url(sha256(email))}`)
    const sent = bench.outbox.map(({ url }) => tokenOf(url).split('.')[0])
    expect(items.map(({ key }) => key).toSorted()).toEqual(sent.toSorted())
    await accountOf(bench.accounts.resetPassword({ token: tokenOf(bench.outbox[4]?.url), newPassword }))
    expect((await bench.signIn({ password: newPassword })).status).toBe('signed-in')
  })

  test('the calls of the stores before the answer are the same for an account, an unknown address and withheld mails', async () => {
    for (const address of [email, stranger]) {
      const calls: string[] = []
      const log = (method: string, run: () => Promise<unknown>) => {
        calls.push(method)
        return run()
      }
      const bench = createBench({ aroundAccounts: log, aroundRecords: log })
      await bench.insert()
      await askTimes(bench, 5, address)
      calls.length = 0
      await bench.accounts.requestPasswordReset({ email: address })
      expect(calls).toEqual(['getByEmail', 'insert', 'listByOwner'])
      await bench.accounts.settled()
      expect(calls.slice(3)).toEqual(['remove'])
    }
  })

  test('the sessions of the account are listed and revoked without reading links', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const { identity } = await bench.signIn()
    await askTimes(bench, 5)
    const { items } = await bench.records.listByOwner(id)
    expect(items.map(({ key }) => key)).toEqual([identity.key])
  })

  const ways: [string, (bench: Bench, id: string) => Promise<unknown>][] = [
    ['a reset', (bench) => bench.accounts.resetPassword({ token: tokenOf(bench.outbox[0]?.url), newPassword })],
    ['an hour', async (bench) => bench.advance(3600)],
    ['a change of roles, which makes the links invalid', ({ accounts }, id) => accounts.setRoles(id, ['AUTHOR'])],
  ]
  test.each(ways)('another one is sent after %s', async (_what, pass) => {
    const bench = createBench()
    const { id } = await bench.insert()
    await askTimes(bench, 6)
    await pass(bench, id)
    await bench.accounts.settled()
    const before = bench.outbox.length
    await askTimes(bench, 1)
    expect(bench.outbox).toHaveLength(before + 1)
    await accountOf(
      bench.accounts.resetPassword({ token: tokenOf(bench.outbox.at(-1)?.url), newPassword: `${newPassword} 2` }),
    )
  })
})

describe('however often an address is signed up', () => {
  test('its owner gets one mail and five that say that it was not the first time', async () => {
    const bench = createBench()
    await signUpTimes(bench, 9)
    expect(bench.outbox.map(({ text }) => text.includes('not the first time'))).toEqual([
      false,
      ...new Array(5).fill(true),
    ])
    expect(withheld(bench)).toHaveLength(3)
    expect(withheld(bench)[0]).toMatchObject({ purpose: 'verify-email', accountId: null })
  })

  test('the number is the same when the address has an account', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    await signUpTimes(bench, 9)
    expect(bench.outbox.map(({ subject }) => subject)).toEqual(new Array(6).fill('You have an account already'))
    expect(withheld(bench).map((event) => 'accountId' in event && event.accountId)).toEqual([id, id, id])
  })

  test('no sign-up with a password is left, and the links that were sent open the account without one', async () => {
    const bench = createBench()
    await signUpTimes(bench, 9)
    expect(await bench.accounts.verifyEmail({ token: tokenOf(bench.outbox[0]?.url) })).toEqual(invalidLink)
    const account = await accountOf(bench.accounts.verifyEmail({ token: tokenOf(bench.outbox[5]?.url) }))
    expect((await bench.store.get(account.id))?.passwordHash).toBeNull()
    await bench.accounts.settled()
    await accountOf(bench.accounts.resetPassword({ token: tokenOf(bench.outbox[6]?.url), newPassword }))
    expect((await bench.signIn({ password: newPassword })).status).toBe('signed-in')
  })

  test('the mails are withheld until those sign-ups have expired', async () => {
    const bench = createBench()
    await signUpTimes(bench, 9)
    bench.advance(86_400)
    await signUpTimes(bench, 1)
    expect(bench.outbox).toHaveLength(7)
    expect(bench.outbox[6]?.text).not.toContain('not the first time')
  })
})
