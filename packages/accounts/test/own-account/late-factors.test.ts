import { type StoredDocument, StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { email, invalidCredentials, newPassword, password } from '../bench.ts'
import { createCrossing, type Meeting } from '../factors/crossing.ts'
import { beginPasskey, beginTotp, challengeOf, type Enrolled, type FactorsBench } from '../factors/factors-bench.ts'
import type { DocumentMethod } from '../stores/test-stores.ts'
import { askForChange } from './mailed-links.ts'

/** Runs once, at the first such call for a factor of the kind. */
function onceAt(called: DocumentMethod, kind: string, run: () => Promise<unknown>): Meeting {
  let hasRun = false
  return async (method, [factor]) => {
    if (hasRun || method !== called || (factor as StoredDocument).collection !== `factor-${kind}`) return
    hasRun = true
    await run()
  }
}

test.each<[string, (bench: FactorsBench, id: string, undo: string) => Promise<unknown>]>([
  ['an undone change of address', ({ accounts }, _id, token) => accounts.undoEmailChange({ token })],
  ['the revocation of all sessions', ({ accounts }, id) => accounts.endSessions({ id })],
])('a passkey stored after %s does not stay beside an older passkey', async (_what, change) => {
  const { bench, meetings } = createCrossing()
  const { id } = await bench.insert()
  const older = await bench.addPasskey(await bench.signIn())
  bench.advance(60)
  const { undo } = await askForChange(bench, older)
  const begun = await bench.accounts.startPasskeyRegistration({ identity: older.identity })
  const response = await bench.authenticator.create((begun.ok && begun.options) as never, { ignoresLists: true })
  meetings.before = onceAt('insert', 'passkey', () => change(bench, id, undo))
  const finishing = bench.accounts.finishPasskeyRegistration({ identity: older.identity, name: 'Late', response })
  expect(await finishing).toEqual(invalidCredentials)
  expect(await bench.accounts.listPasskeys(id)).toMatchObject([{ id: older.id }])
  expect(await bench.store.get(id)).toMatchObject({ enrolled: ['passkey'] })
})

test('a passkey stored after an undone change of address opens no session that outlives it', async () => {
  const { bench, meetings } = createCrossing()
  const { id } = await bench.insert()
  const signedIn = await bench.signIn()
  const { undo } = await askForChange(bench, signedIn)
  const finish = await beginPasskey(bench, signedIn)
  const opened: unknown[] = []
  meetings.before = onceAt('insert', 'passkey', () => bench.accounts.undoEmailChange({ token: undo }))
  meetings.after = onceAt('insert', 'passkey', async () => {
    const response = await bench.showPasskey()
    opened.push(await bench.accounts.finishPasskeySignIn({ response, delivery: 'session' }))
  })
  expect(await finish()).toEqual(invalidCredentials)
  expect(opened).toMatchObject([{ status: 'signed-in' }])
  expect(await bench.accounts.listSessions(id)).toEqual([])
  expect(await bench.accounts.listPasskeys(id)).toEqual([])
})

test('an app that would replace an older app after an undone change of address does not count', async () => {
  const { bench, meetings } = createCrossing()
  const account = await bench.insert()
  const older = await bench.enrollTotp(account)
  bench.advance(60)
  const { undo } = await askForChange(bench, older)
  const finish = await beginTotp(bench, older)
  meetings.before = onceAt('replace', 'totp', () => bench.accounts.undoEmailChange({ token: undo }))
  expect(await finish()).toEqual(invalidCredentials)
  expect((await bench.accounts.listFactors(account.id)).map(({ kind }) => kind)).not.toContain('totp')
})

test('recovery codes stored after an undone change of address do not stay', async () => {
  const { bench, meetings } = createCrossing()
  const account = await bench.insert()
  const { secret, identity } = await bench.enrollTotp(account)
  bench.advance(60)
  const { undo } = await askForChange(bench, { identity })
  meetings.before = onceAt('replace', 'recovery-code', () => bench.accounts.undoEmailChange({ token: undo }))
  const replacing = bench.accounts.regenerateRecoveryCodes({ identity, code: bench.codeOf(secret) })
  expect(await replacing).toEqual(invalidCredentials)
  const kinds = (await bench.accounts.listFactors(account.id)).map(({ kind }) => kind)
  expect(kinds).toEqual(['totp'])
})

test.each([
  ['a passkey', 'passkey', beginPasskey],
  ['an app', 'totp', beginTotp],
] as const)(
  '%s stored after an undone change of address does not stay if the answer is lost',
  async (_what, kind, begin) => {
    const { bench, meetings } = createCrossing()
    const { id } = await bench.insert()
    const signedIn = await bench.signIn()
    bench.advance(60)
    const { undo } = await askForChange(bench, signedIn)
    const finish = await begin(bench, signedIn)
    const undone: unknown[] = []
    meetings.before = onceAt('insert', kind, async () => {
      undone.push(await bench.accounts.undoEmailChange({ token: undo }))
    })
    meetings.after = onceAt('insert', kind, () =>
      Promise.reject(new StoreError('STORE_UNAVAILABLE', 'it does not answer')),
    )
    await expect(finish()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(undone).toMatchObject([{ ok: true }])
    expect(await bench.accounts.listFactors(id)).toEqual([])
  },
)

test('recovery codes stored after a change of the password stay', async () => {
  const { bench, meetings } = createCrossing()
  const { secret, identity } = await bench.enrollTotp(await bench.insert())
  bench.advance(60)
  const changing = { identity, currentPassword: password, newPassword }
  meetings.before = onceAt('replace', 'recovery-code', () => bench.accounts.changePassword(changing))
  const replaced = await bench.accounts.regenerateRecoveryCodes({ identity, code: bench.codeOf(secret) })
  if (!replaced.ok) throw new Error('the codes were refused')
  const challenge = await challengeOf(bench.accounts.signIn({ email, password: newPassword, delivery: 'session' }))
  const [code = ''] = replaced.codes ?? []
  expect(await bench.accounts.verifySecondFactor({ challenge, code, delivery: 'session' })).toMatchObject({ ok: true })
})

interface Late {
  readonly method: DocumentMethod
  readonly kind: string
  /** Whether the account has an app and recovery codes before. */
  readonly isBesideApp: boolean
  readonly begin: (bench: FactorsBench, older: Enrolled) => Promise<() => Promise<unknown>>
  /** The kinds of the account once the change of its address is undone. */
  readonly left: readonly string[]
  /** The same if the account cannot be read. Codes that were never shown may stay. */
  readonly unread?: readonly string[]
}

const late: Readonly<Record<string, Late>> = {
  'a first passkey': { method: 'insert', kind: 'passkey', isBesideApp: false, begin: beginPasskey, left: [] },
  'a passkey beside an app': {
    method: 'insert',
    kind: 'passkey',
    isBesideApp: true,
    begin: beginPasskey,
    left: ['totp', 'recovery-code'],
  },
  'a first app': { method: 'insert', kind: 'totp', isBesideApp: false, begin: beginTotp, left: [] },
  'new recovery codes': {
    method: 'replace',
    kind: 'recovery-code',
    isBesideApp: true,
    begin: async ({ accounts, codeOf }, { identity, secret }) => {
      return () => accounts.regenerateRecoveryCodes({ identity, code: codeOf(secret) })
    },
    left: ['totp'],
    unread: ['totp', 'recovery-code'],
  },
}

const withoutKey = ({ key: _key, ...identity }: Enrolled['identity']) => identity as Enrolled['identity']

type Failure = 'session' | 'account' | 'session and account' | 'answer'
type Change = (bench: FactorsBench, undo: string) => Promise<unknown>

/**
 * Finishes a factor whose account changes just before the factor is stored. Afterwards the stores fail to read the session or the
 * account, or the answer to the second raise of the epoch is lost.
 */
async function finishLate(
  { method, kind, isBesideApp, begin }: Omit<Late, 'unread'>,
  failure: Failure,
  change: Change,
  keepsSession = true,
) {
  let isStored = false
  const failing = (part: string) => async (called: string, run: () => Promise<unknown>) => {
    const isLost = failure === 'answer' && called === 'replace' && part === 'account'
    const isUnread = called === 'get' && failure.includes(part)
    if (!isStored || !(isLost || isUnread)) return run()
    if (isLost) {
      isStored = false
      await run()
    }
    throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
  }
  const { bench, meetings } = createCrossing({ aroundRecords: failing('session'), aroundAccounts: failing('account') })
  const account = await bench.insert()
  const older = isBesideApp ? await bench.enrollTotp(account) : await bench.signIn()
  bench.advance(60)
  const { undo } = await askForChange(bench, older)
  const identity = keepsSession ? older.identity : withoutKey(older.identity)
  const finish = await begin(bench, { ...(older as Enrolled), identity })
  meetings.before = onceAt(method, kind, () => change(bench, undo))
  meetings.after = onceAt(method, kind, async () => {
    isStored = true
  })
  const result = await finish().catch((error: unknown) => error)
  isStored = false
  return { result, kinds: (await bench.accounts.listFactors(account.id)).map((factor) => factor.kind) }
}

const undoing: Change = ({ accounts }, token) => accounts.undoEmailChange({ token })
const unchanging: Change = async () => undefined
const unavailable = { code: 'STORE_UNAVAILABLE' }

describe.each(Object.entries(late))('the stores fail once %s is stored:', (_what, { unread, ...way }) => {
  const isApp = way.kind === 'totp'
  test.each<[Failure]>([['session'], ['account'], ['session and account']])(
    'an undone change of address that came before leaves it to nobody if the %s cannot be read',
    async (failure) => {
      const { result, kinds } = await finishLate(way, failure, undoing)
      expect(result).toMatchObject(isApp ? invalidCredentials : unavailable)
      expect(kinds).toEqual(failure === 'session' ? way.left : (unread ?? way.left))
    },
  )

  test.each<[Failure]>([['session'], ['answer']])(
    'it stays in an unchanged account without the %s',
    async (failure) => {
      const { result, kinds } = await finishLate(way, failure, unchanging)
      expect(result).toMatchObject({ ok: true })
      expect(kinds).toContain(way.kind)
    },
  )

  test('a passkey does not stay without the answer if no session is kept', async () => {
    const { result, kinds } = await finishLate(way, 'answer', unchanging, false)
    const isPasskey = way.kind === 'passkey'
    expect(result).toMatchObject(isPasskey ? unavailable : { ok: true })
    expect(kinds).toEqual(isPasskey ? way.left : ['totp', 'recovery-code'])
  })

  test('the answer is an error if the account cannot be read, except for an app', async () => {
    const { result, kinds } = await finishLate(way, 'session and account', unchanging)
    expect(result).toMatchObject(isApp ? { ok: true } : unavailable)
    expect(kinds).toEqual(isApp ? ['totp', 'recovery-code'] : (unread ?? way.left))
  })
})
