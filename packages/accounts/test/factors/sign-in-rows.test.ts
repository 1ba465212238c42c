import { type SignInTransition, signInTransitions } from '@latchkey/accounts/internal'
import type { FactorVerdict } from '@latchkey/store'
import { expect, test } from 'vitest'
import { invalidCredentials, invalidStepUp } from '../bench.ts'
import { challengeOf, createFactorsBench, type FactorsBench, storedFactors } from './factors-bench.ts'

const session = { delivery: 'session' } as const
const verdicts: { readonly [Guard in SignInTransition['when']]?: FactorVerdict } = {
  'factor-wrong': { ok: false, reason: 'wrong' },
  'factor-used': { ok: false, reason: 'used' },
  'factor-overtaken': { ok: false, reason: 'overtaken' },
  'factor-disabled': { ok: false, reason: 'disabled' },
  'factor-not-enrolled': { ok: false, reason: 'not-enrolled' },
  // It shows what the password has shown.
  'same-category': { ok: true, proof: { kind: 'totp', at: 0, category: 'know' } },
}

/** An account with every factor, signed in once, whose codes get a verdict of the row where it names one. */
async function createScene({ when, on }: SignInTransition) {
  const verdict = verdicts[when]
  const judge = verdict && { verify: async () => verdict }
  const bench = createFactorsBench({}, ({ totp, recoveryCodes, passkeys, ...parts }) => ({
    ...parts,
    totp: { ...(totp as NonNullable<typeof totp>), ...judge },
    recoveryCodes: { ...(recoveryCodes as NonNullable<typeof recoveryCodes>), ...judge },
    passkeys: {
      ...(passkeys as NonNullable<typeof passkeys>),
      ...(when === 'same-category' && {
        finishSignIn: async () => ({
          ...(verdict as FactorVerdict & { ok: true }),
          accountId: 'acc',
          passkey: {} as never,
        }),
      }),
    },
  }))
  const account = await bench.insert({ id: 'acc' })
  const { secret, codes, identity } = await bench.enrollTotp(account)
  const added = await bench.addPasskey({ identity } as never)
  bench.advance(30)
  if (when === 'kind-refused') await leaveOut(bench, account.id, on)
  const code = on === 'recovery-code' ? (codes[0] ?? '') : bench.codeOf(secret)
  return { bench, account, code, identity: added.identity }
}

/** Takes one kind away, so that a challenge does not name it. */
async function leaveOut(bench: FactorsBench, id: string, on: string): Promise<void> {
  const stored = (await storedFactors(bench, id)).filter(({ kind }) => kind === on)
  for (const factor of stored) await bench.documents.remove(factor)
}

/** Makes what the row names true, once the challenge was made. */
async function fulfil({ bench, account }: Awaited<ReturnType<typeof createScene>>, { when }: SignInTransition) {
  const { store } = bench
  if (when === 'unknown-account') await store.remove(account.id)
  if (when === 'unverified' || when === 'disabled' || when === 'locked')
    await store.replace(account.id, {}, { status: when })
  if (when === 'account-changed') await store.replace(account.id, {}, { epoch: 9 })
  if (when === 'challenge-ended') bench.advance(300)
}

async function showAnswer(scene: Awaited<ReturnType<typeof createScene>>, row: SignInTransition) {
  const { bench, code } = scene
  const isStepUp = row.from === 'signed-in'
  const kinds = ['totp', 'passkey', 'recovery-code']
  const asked = isStepUp ? await bench.accounts.startStepUp({ identity: scene.identity, kinds }) : null
  const challenge = asked?.challenge ?? (await challengeOf(bench.tryPassword()))
  const isShown = row.on === 'passkey' && row.when !== 'kind-refused'
  const identity = row.when === 'other-session' ? { ...scene.identity, key: 'se_other' } : scene.identity
  const given = { ...session, challenge, ...(isStepUp && { identity }) }
  const response = isShown ? await bench.showPasskey(challenge, scene.identity) : {}
  await fulfil(scene, row)
  return row.on === 'passkey'
    ? bench.accounts.finishPasskeySignIn({ ...given, response: row.when === 'factor-wrong' ? {} : response })
    : bench.accounts.verifySecondFactor({ ...given, code })
}

const answers = signInTransitions.filter(({ from, on }) => {
  const isAsked = from === 'second-factor-pending' || from === 'signed-in'
  return isAsked && on !== 'password' && !['requirements', 'enrollment', 'impersonation', 'provider'].includes(on)
})

test('every state with a challenge has a row for every kind of answer, and each row has a next state', () => {
  const pairs = new Set(answers.map(({ from, on }) => `${from} ${on}`))
  expect(pairs).toEqual(
    new Set(
      ['second-factor-pending', 'signed-in'].flatMap((from) =>
        ['totp', 'recovery-code', 'passkey'].map((on) => `${from} ${on}`),
      ),
    ),
  )
})

test.each(answers.map((row) => [`${row.from} at ${row.on}, ${row.when}`, row] as const))(
  'the table decides %s',
  async (_what, row) => {
    const scene = await createScene(row)
    const { bench, account } = scene
    const open = async () => (await bench.sessions.list(account.id)).map(({ key }) => key).sort()
    const before = await open()
    const result = await showAnswer(scene, row)
    const after = await open()
    if (row.to === 'refused') {
      // What has ended does not say what it was for.
      const isStepUp = row.from === 'signed-in' && row.when !== 'challenge-ended'
      expect(result).toEqual(isStepUp ? invalidStepUp : invalidCredentials)
      expect(after).toEqual(before)
      const reason = row.on === 'passkey' && row.when === 'factor-wrong' ? 'passkey-malformed' : row.when
      expect(bench.events.at(-1)).toMatchObject({ type: 'second-factor.failed', factor: row.on, reason })
      return
    }
    expect(result).toMatchObject({ ok: true, status: 'signed-in', account: { id: account.id } })
    expect(after).toHaveLength(before.length + (row.to === 'signed-in' ? 1 : 0))
    expect(after).not.toEqual(before)
  },
)
