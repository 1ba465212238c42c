import { allowNativeDelivery } from '@latchkey/accounts'
import type { SignInSuccess } from '@latchkey/accounts/internal'
import { describe, expect, test } from 'vitest'
import { invalidCredentials, invalidStepUp } from '../bench.ts'
import { challengeOf, createFactorsBench, type FactorsBench } from './factors-bench.ts'

const session = { delivery: 'session' } as const
const kinds = ['totp', 'passkey']

async function signedIn(delivery: 'session' | 'token' | 'native') {
  const bench = createFactorsBench({ options: { signIn: { nativeDelivery: allowNativeDelivery } } })
  const account = await bench.insert()
  const enrolled = await bench.enrollTotp(account)
  bench.advance(30)
  const challenge = await challengeOf(bench.tryPassword())
  const code = bench.codeOf(enrolled.secret)
  const result = await bench.accounts.verifySecondFactor({ challenge, code, delivery })
  if (!result.ok) throw new Error('not signed in')
  bench.advance(600)
  return { bench, account, enrolled, result }
}

/** What the credentials open now. */
async function factsOf(bench: FactorsBench, { credentials }: SignInSuccess) {
  if (credentials.delivery === 'session') {
    return bench.accounts.identifySession(await bench.sessions.read(credentials.credential))
  }
  const { family } = credentials
  return bench.accounts.identifyToken({ sub: family.subject, sid: family.key, epoch: family.epoch } as never)
}

describe('a step-up', () => {
  test('startStepUp reads the factors of the account in parallel, as a sign-in does', async () => {
    const reads: string[] = []
    const bench = createFactorsBench({
      aroundDocuments: (store) => ({
        ...store,
        get: (...given) => {
          reads.push('get')
          return store.get(...given)
        },
        listByOwner: (...given) => {
          reads.push('list')
          return store.listByOwner(...given)
        },
      }),
    })
    const account = await bench.insert()
    const { identity } = await bench.addPasskey({
      identity: (await bench.enrollTotp(account)).identity,
    } as SignInSuccess)
    reads.length = 0
    expect(await bench.accounts.startStepUp({ identity, kinds })).toMatchObject({ factors: kinds })
    expect(reads).toEqual(['list'])
    reads.length = 0
    expect(await bench.tryPassword()).toMatchObject({ factors: [...kinds, 'recovery-code'] })
    expect(reads).toEqual(['list'])
  })

  test.each(['session', 'token', 'native'] as const)(
    'a step-up renews a credential of %s in its form, whichever delivery is named, and invalidates the old credential',
    async (delivery) => {
      const { bench, enrolled, result } = await signedIn(delivery)
      const { identity } = result
      const asked = await bench.accounts.startStepUp({ identity, kinds })
      expect(asked).toEqual({ challenge: expect.any(String), factors: ['totp'] })
      const code = bench.codeOf(enrolled.secret)
      const challenge = asked.challenge ?? ''
      const other = delivery === 'session' ? 'token' : 'session'
      const renewed = await bench.accounts.verifySecondFactor({ challenge, code, delivery: other, identity })
      if (!renewed.ok) throw new Error('refused')
      expect(renewed.credentials.delivery).toBe(delivery)
      expect(renewed.identity.key).not.toBe(identity.key)
      expect(renewed.identity.factors).toContainEqual({ kind: 'totp', at: bench.now(), category: 'have' })
      expect(renewed.identity.factors.map(({ kind }) => kind)).toEqual(['password', 'totp'])
      expect(bench.events.at(-1)).toMatchObject({
        type: 'second-factor.confirmed',
        factor: 'totp',
        sessionKey: renewed.identity.key,
      })
      expect(await factsOf(bench, result)).toBeNull()
      expect(await factsOf(bench, renewed)).not.toBeNull()
      if (result.credentials.delivery !== 'session') {
        const token = result.credentials.refreshToken
        const channel = delivery === 'native' ? 'native' : 'cookie'
        expect(await bench.accounts.refresh({ token, channel })).toEqual(invalidCredentials)
      }
    },
  )

  test('the challenge of a step-up is accepted from its own session only', async () => {
    const { bench, enrolled, result } = await signedIn('session')
    const { challenge } = await bench.accounts.startStepUp({ identity: result.identity, kinds })
    const code = bench.codeOf(enrolled.secret)
    const input = { ...session, challenge: challenge ?? '', code }
    expect(await bench.accounts.verifySecondFactor(input)).toEqual(invalidStepUp)
    const other = { ...input, identity: enrolled.identity }
    expect(await bench.accounts.verifySecondFactor(other)).toEqual(invalidStepUp)
    const stranger = { ...input, identity: { ...result.identity, subject: 'acc_other' } }
    expect(await bench.accounts.verifySecondFactor(stranger)).toEqual(invalidStepUp)
    expect(bench.events.at(-1)).toMatchObject({ type: 'second-factor.failed', reason: 'other-session' })
    expect(await bench.accounts.verifySecondFactor({ ...input, identity: result.identity })).toMatchObject({ ok: true })
  })

  test('the challenge of a step-up is refused without its session', async () => {
    const { bench, account, enrolled, result } = await signedIn('session')
    const { challenge } = await bench.accounts.startStepUp({ identity: result.identity, kinds })
    await bench.accounts.revokeAllSessions({ identity: result.identity, exceptCurrent: false })
    const code = bench.codeOf(enrolled.secret)
    const input = { ...session, challenge: challenge ?? '', code, identity: result.identity }
    expect(await bench.accounts.verifySecondFactor(input)).toEqual(invalidStepUp)
    expect(await bench.accounts.listSessions(account.id)).toEqual([])
  })

  test('a step-up does not restore a session that was revoked between the code and the answer', async () => {
    const { bench, account, enrolled, result } = await signedIn('session')
    const { identity } = result
    const { challenge } = await bench.accounts.startStepUp({ identity, kinds })
    await bench.sessions.revoke(account.id, identity.key)
    const code = bench.codeOf(enrolled.secret)
    const input = { ...session, challenge: challenge ?? '', code, identity }
    expect(await bench.accounts.verifySecondFactor(input)).toEqual(invalidStepUp)
    expect(bench.events.at(-1)).toMatchObject({ type: 'second-factor.failed', reason: 'session-revoked' })
    expect((await bench.accounts.listSessions(account.id)).map(({ key }) => key)).toEqual([enrolled.identity.key])
  })

  test('a step-up accepts a recovery code only if its challenge does, and spends none otherwise', async () => {
    const { bench, account, enrolled, result } = await signedIn('session')
    const { identity } = result
    const code = enrolled.codes[0] ?? ''
    const { challenge } = await bench.accounts.startStepUp({ identity, kinds })
    const input = { ...session, challenge: challenge ?? '', code, identity }
    expect(await bench.accounts.verifySecondFactor(input)).toEqual(invalidStepUp)
    expect(bench.events.at(-1)).toMatchObject({ type: 'second-factor.failed', reason: 'kind-refused' })
    const asked = await bench.accounts.startStepUp({ identity, kinds: [...kinds, 'recovery-code'] })
    expect(asked.factors).toEqual(['totp', 'recovery-code'])
    const renewed = await bench.accounts.verifySecondFactor({ ...input, challenge: asked.challenge ?? '' })
    expect(renewed).toMatchObject({ ok: true, account: { id: account.id } })
  })

  test('the challenge of a step-up is answered by a passkey in its own session', async () => {
    const bench = createFactorsBench()
    await bench.insert()
    const { identity } = await bench.addPasskey(await bench.signIn())
    const { challenge, factors } = await bench.accounts.startStepUp({ identity, kinds })
    expect(factors).toEqual(['passkey'])
    expect(await bench.accounts.startPasskeySignIn({ challenge })).toEqual(invalidCredentials)
    const response = await bench.showPasskey(challenge, identity)
    const input = { ...session, challenge, response }
    expect(await bench.accounts.finishPasskeySignIn(input)).toEqual(invalidStepUp)
    const again = await bench.showPasskey(challenge, identity)
    const renewed = await bench.accounts.finishPasskeySignIn({ ...input, response: again, identity })
    expect(renewed).toMatchObject({ ok: true, status: 'signed-in', credentials: { delivery: 'session' } })
  })

  test('a step-up does not give the new tokens of an application to a script of a page', async () => {
    const { bench, enrolled, result } = await signedIn('native')
    const { identity } = result
    const { challenge } = await bench.accounts.startStepUp({ identity, kinds })
    const input = { ...session, challenge: challenge ?? '', code: bench.codeOf(enrolled.secret), identity }
    const answer = bench.accounts.verifySecondFactor({ ...input, allowsNative: false })
    await expect(answer).rejects.toMatchObject({ code: 'DELIVERY_NOT_ALLOWED' })
    expect(await bench.accounts.verifySecondFactor(input)).toMatchObject({ ok: true })
  })

  test('a step-up of an account without a second factor offers the password, and repairs the column', async () => {
    const bench = createFactorsBench()
    const { id } = await bench.insert()
    const { identity } = await bench.signIn()
    await bench.store.replace(id, {}, { enrolled: ['totp'] })
    expect(await bench.accounts.startStepUp({ identity, kinds })).toEqual({ challenge: null, factors: ['password'] })
    expect(await bench.store.get(id)).toMatchObject({ enrolled: [], epoch: 0 })
  })

  test.each([
    ['has no session', { key: null }],
    ['does not exist', { subject: 'acc_none' }],
  ])('a step-up is not started for an identity that %s', async (_what, change) => {
    const { bench, result } = await signedIn('session')
    const identity = { ...result.identity, ...change }
    expect(await bench.accounts.startStepUp({ identity, kinds })).toEqual({ challenge: null, factors: [] })
  })
})
