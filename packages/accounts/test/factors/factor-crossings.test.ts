import { type StoredDocument, StoreError } from '@latchkey/store'
import { expect, test } from 'vitest'
import { invalidCredentials } from '../bench.ts'
import { createGate, type DocumentMethod } from '../stores/test-stores.ts'
import { createCrossing } from './crossing.ts'
import {
  beginPasskey,
  beginTotp,
  challengeOf,
  createFactorsBench,
  type FactorsBench,
  storedFactors,
} from './factors-bench.ts'

/** Runs once, at the first call that is meant. */
function once(isMeant: (method: DocumentMethod, given: readonly unknown[]) => boolean, run: () => Promise<unknown>) {
  let hasRun = false
  return async (method: DocumentMethod, given: readonly unknown[]): Promise<void> => {
    if (hasRun || !isMeant(method, given)) return
    hasRun = true
    await run()
  }
}

const isInsertOf =
  (kind: string) =>
  (method: DocumentMethod, [factor]: readonly unknown[]): boolean =>
    method === 'insert' && (factor as StoredDocument).collection === `factor-${kind}`

const adding = [
  ['totp', beginTotp],
  ['passkey', beginPasskey],
] as const

const identify = async (bench: FactorsBench, result: Awaited<ReturnType<FactorsBench['tryPassword']>>) => {
  if (!result.ok || result.status !== 'signed-in' || result.credentials.delivery !== 'session') return null
  return bench.accounts.identifySession(await bench.sessions.read(result.credentials.credential))
}

test.each(adding)(
  'a password presented before the activation of a %s opens no session after it',
  async (kind, begin) => {
    const { bench, meetings } = createCrossing()
    const { id } = await bench.insert()
    const finish = await begin(bench, await bench.signIn())
    const results: Awaited<ReturnType<FactorsBench['tryPassword']>>[] = []
    meetings.before = once(isInsertOf(kind), async () => results.push(await bench.tryPassword()))
    const finished = await finish()
    expect(results).toHaveLength(1)
    expect(finished).toMatchObject({ ok: true, credentials: { delivery: 'session' } })
    for (const result of results) expect(await identify(bench, result)).toBeNull()
    const credential = finished.ok && finished.credentials ? finished.credentials.credential : ''
    const kept = await bench.accounts.identifySession(await bench.sessions.read(credential))
    expect(kept).toMatchObject({ subject: id, enrolledFactors: [kind] })
    expect(await bench.accounts.listSessions(id)).toHaveLength(1)
    expect((await bench.store.get(id))?.enrolled).toEqual([kind])
  },
)

test.each(adding)('a %s is not activated after its session was revoked, and is not requested', async (kind, begin) => {
  const { bench, meetings } = createCrossing()
  const { id } = await bench.insert()
  const finish = await begin(bench, await bench.signIn())
  meetings.before = once(isInsertOf(kind), async () => {
    const { identity } = await bench.signIn()
    await bench.accounts.revokeAllSessions({ identity })
  })
  expect(await finish()).toEqual(invalidCredentials)
  expect((await storedFactors(bench, id)).filter((factor) => factor.kind === kind)).toEqual([])
  expect(await bench.tryPassword()).toMatchObject({ status: 'signed-in' })
})

test('a passkey that is being removed keeps no session open that it added', async () => {
  const [held, paused] = [createGate(), createGate()]
  let pauses = false
  const { bench, meetings } = createCrossing({
    aroundRecords: async (method, run) => {
      if (pauses && method === 'insert') {
        held.open()
        await paused.passed
      }
      return run()
    },
  })
  const { id } = await bench.insert()
  const added = await bench.addPasskey(await bench.signIn())
  const [first, second] = [await bench.showPasskey(), await bench.showPasskey()]
  let signingIn: ReturnType<FactorsBench['tryPassword']> | undefined
  meetings.before = once(
    (method) => method === 'remove',
    async () => {
      const thief = await bench.accounts.finishPasskeySignIn({ response: first, delivery: 'session' })
      if (thief.ok && thief.status === 'signed-in') await bench.accounts.revokeAllSessions({ identity: thief.identity })
      expect(await identify(bench, thief)).toMatchObject({ subject: id })
      pauses = true
      signingIn = bench.accounts.finishPasskeySignIn({ response: second, delivery: 'session' })
      await held.passed
      pauses = false
    },
  )
  const removed = await bench.accounts.removePasskey({ identity: added.identity, id: added.id })
  expect(removed).toMatchObject({ ok: true, credentials: null })
  paused.open()
  const late = await signingIn
  expect(late && (await identify(bench, late))).toBeNull()
  expect(await bench.accounts.listSessions(id)).toEqual([])
})

test.each(adding)('a sign-in that has not seen the new %s does not remove it from the column', async (kind, begin) => {
  const { bench, meetings } = createCrossing()
  const { id } = await bench.insert()
  const finish = await begin(bench, await bench.signIn())
  const [isClaimed, hasRead, mayGoOn] = [createGate(), createGate(), createGate()]
  meetings.before = once(isInsertOf(kind), async () => {
    isClaimed.open()
    await hasRead.passed
  })
  const finishing = finish()
  await isClaimed.passed
  meetings.after = once(
    (method) => method === 'listByOwner',
    async () => {
      hasRead.open()
      await mayGoOn.passed
    },
  )
  const signingIn = bench.tryPassword()
  expect(await finishing).toMatchObject({ ok: true })
  mayGoOn.open()
  expect(await identify(bench, await signingIn)).toBeNull()
  expect((await bench.store.get(id))?.enrolled).toEqual([kind])
})

test.each(adding)('a reset by an administrator removes a %s whose activation is in progress', async (kind, begin) => {
  const { bench, meetings } = createCrossing()
  const { id } = await bench.insert()
  const finish = await begin(bench, await bench.signIn())
  meetings.before = once(isInsertOf(kind), () => bench.accounts.resetFactors({ id }))
  expect(await finish()).toMatchObject({ ok: false })
  const kinds = (await storedFactors(bench, id)).map((factor) => factor.kind)
  expect(kinds.filter((each) => !each.endsWith('-enrollment'))).toEqual([])
  expect(await bench.store.get(id)).toMatchObject({ enrolled: [] })
  expect(await bench.tryPassword()).toMatchObject({ status: 'signed-in' })
})

test.each(adding)('a reset by an administrator removes a %s that was just activated', async (kind, begin) => {
  const { bench, meetings } = createCrossing()
  const { id } = await bench.insert()
  const finish = await begin(bench, await bench.signIn())
  let isStored = false
  meetings.after = once(
    (method, given) => {
      isStored ||= isInsertOf(kind)(method, given)
      // An app looks once more whether its enrolment is still there.
      return isStored && method === (kind === 'totp' ? 'get' : 'insert')
    },
    () => bench.accounts.resetFactors({ id }),
  )
  expect(await finish()).toEqual(invalidCredentials)
  const refused = { type: 'second-factor.failed', factor: kind, reason: 'account-changed' }
  expect(bench.events).toContainEqual(expect.objectContaining(refused))
  expect((await storedFactors(bench, id)).filter((factor) => factor.kind === kind)).toEqual([])
  expect(await bench.store.get(id)).toMatchObject({ enrolled: [] })
})

test('a passkey that is being removed opens no session that outlives it', async () => {
  const paused = createGate()
  const held = createGate()
  let pauses = false
  const { bench, meetings } = createCrossing({
    aroundRecords: async (method, run) => {
      if (pauses && method === 'insert') {
        pauses = false
        held.open()
        await paused.passed
      }
      return run()
    },
  })
  const { id } = await bench.insert()
  const added = await bench.addPasskey(await bench.signIn())
  const response = await bench.showPasskey()
  meetings.before = once(
    (method) => method === 'remove',
    async () => {
      pauses = true
      signingIn = bench.accounts.finishPasskeySignIn({ response, delivery: 'session' })
      await held.passed
    },
  )
  let signingIn: ReturnType<FactorsBench['tryPassword']> | undefined
  expect(await bench.accounts.removePasskey({ identity: added.identity, id: added.id })).toMatchObject({ ok: true })
  paused.open()
  const result = await signingIn
  expect(result && (await identify(bench, result))).toBeNull()
  expect(await bench.accounts.listSessions(id)).toHaveLength(1)
})

test.each([
  ['its account has no other one', false],
  ['its account has another one', true],
])('a passkey removed before its account is read opens no session if %s', async (_what, hasAnother) => {
  let remove: (() => Promise<unknown>) | null = null
  const { bench } = createCrossing({
    aroundAccounts: async (method, run) => {
      const first = method === 'get' ? remove : null
      if (first) remove = null
      await first?.()
      return run()
    },
  })
  const { id } = await bench.insert()
  const signedIn = await bench.signIn()
  const added = await bench.addPasskey(signedIn)
  const response = await bench.showPasskey()
  const { identity } = hasAnother ? await bench.addPasskey({ ...signedIn, identity: added.identity }) : added
  const removal = { identity, id: added.id }
  remove = async () => expect(await bench.accounts.removePasskey(removal)).toMatchObject({ ok: true })
  expect(await bench.accounts.finishPasskeySignIn({ response, delivery: 'session' })).toEqual(invalidCredentials)
  expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', reason: 'unknown-account', accountId: null })
  expect(await bench.accounts.listSessions(id)).toHaveLength(1)
})

test.each(adding)('a %s activated during a reset of its account does not survive the reset', async (kind, begin) => {
  const { bench, meetings } = createCrossing()
  const { id } = await bench.insert()
  const finish = await begin(bench, await bench.signIn())
  meetings.after = once((method) => method === 'listByOwner', finish)
  expect(await bench.accounts.resetFactors({ id })).toMatchObject({ id })
  const kinds = (await storedFactors(bench, id)).map((factor) => factor.kind)
  expect(kinds.filter((each) => each === kind)).toEqual([])
  expect(await bench.store.get(id)).toMatchObject({ enrolled: [] })
  expect(await bench.accounts.listSessions(id)).toEqual([])
})

test.each(adding)('a %s activated during a change of roles is requested at the next sign-in', async (kind, begin) => {
  const { bench, meetings } = createCrossing()
  const { id } = await bench.insert()
  const finish = await begin(bench, await bench.signIn())
  meetings.before = once(isInsertOf(kind), () => bench.accounts.setRoles({ id, roles: ['AUTHOR'] }))
  expect(await finish()).toMatchObject({ ok: true, credentials: null, codes: expect.any(Array) })
  expect(await bench.store.get(id)).toMatchObject({ enrolled: [kind], roles: ['AUTHOR'] })
  expect(await bench.accounts.listSessions(id)).toEqual([])
  expect(await bench.tryPassword()).toMatchObject({ status: 'second-factor-required' })
})

test.each(adding)(
  'a sign-in puts a %s back into the column that has come into force while it read',
  async (kind, begin) => {
    let isDown = false
    const { bench, meetings } = createCrossing({
      aroundAccounts: async (method, run) => {
        if (isDown && method === 'replace') throw new StoreError('STORE_UNAVAILABLE', 'the process has ended')
        return run()
      },
    })
    const { id } = await bench.insert()
    const finish = await begin(bench, await bench.signIn())
    const [isClaimed, hasRead, mayGoOn] = [createGate(), createGate(), createGate()]
    meetings.before = once(isInsertOf(kind), async () => {
      isDown = true
      isClaimed.open()
      await hasRead.passed
    })
    const finishing = finish()
    await isClaimed.passed
    meetings.after = once(
      (method) => method === 'listByOwner',
      async () => {
        hasRead.open()
        await mayGoOn.passed
      },
    )
    const signingIn = bench.tryPassword()
    await finishing
    isDown = false
    mayGoOn.open()
    expect(await signingIn).toMatchObject({ status: 'second-factor-required' })
    expect(await bench.store.get(id)).toMatchObject({ enrolled: [kind] })
  },
)

test.each(['the app', 'its recovery codes'])(
  'a code of %s presented during the removal opens no session after it',
  async (what) => {
    const { bench, meetings } = createCrossing()
    const account = await bench.insert()
    const { secret, codes, identity } = await bench.enrollTotp(account)
    bench.advance(60)
    const results: Awaited<ReturnType<FactorsBench['tryPassword']>>[] = []
    let answering: Promise<unknown> | undefined
    const hasSeen = createGate()
    const mayStore = createGate()
    meetings.before = once(
      (method) => method === 'remove',
      async () => {
        const challenge = await challengeOf(bench.tryPassword())
        meetings.after = once(
          (method) => method === 'replace',
          async () => {
            hasSeen.open()
            await mayStore.passed
          },
        )
        const code = what === 'the app' ? bench.codeOf(secret, 1) : (codes[1] ?? '')
        answering = bench.accounts
          .verifySecondFactor({ delivery: 'session', challenge, code })
          .then((result) => results.push(result))
        await hasSeen.passed
      },
    )
    const code = bench.codeOf(secret)
    expect(await bench.accounts.disableTotp({ identity, code })).toMatchObject({ ok: true })
    mayStore.open()
    await answering
    expect(results).toHaveLength(1)
    for (const result of results) expect(await identify(bench, result)).toBeNull()
    expect(await bench.accounts.listSessions(account.id)).toHaveLength(1)
  },
)

test('an app that is taken out before it has recovery codes leaves none behind', async () => {
  const { bench, meetings } = createCrossing()
  const { id } = await bench.insert()
  const finish = await beginTotp(bench, await bench.signIn())
  const removeApp = async () => {
    for (const factor of await storedFactors(bench, id))
      if (factor.kind === 'totp') await bench.documents.remove(factor)
  }
  meetings.before = once(isInsertOf('recovery-code'), removeApp)
  await finish()
  const left = (await storedFactors(bench, id)).map((factor) => factor.kind)
  expect(left).toEqual(['totp-enrollment'])
})

test('an account that is removed while its last factor goes leaves no recovery codes behind', async () => {
  const { bench, meetings } = createCrossing()
  const account = await bench.insert()
  const { secret, identity } = await bench.enrollTotp(account)
  bench.advance(30)
  meetings.after = once(
    (method) => method === 'remove',
    () => bench.store.remove(account.id),
  )
  await bench.accounts.disableTotp({ identity, code: bench.codeOf(secret) })
  expect(await storedFactors(bench, account.id)).toEqual([])
})

test('an app stored during the removal of its kind is requested beside a passkey, and is in the column again', async () => {
  let isLate = false
  const bench = createFactorsBench({
    async aroundAccounts(method, run) {
      const result = await run()
      if (method === 'replace' && isLate) await putBack()
      return result
    },
  })
  const account = await bench.insert()
  await bench.addPasskey((await bench.enrollTotp(account)) as never)
  const app = (await storedFactors(bench, account.id)).find(({ kind }) => kind === 'totp')
  if (!app) throw new Error('no app is stored')
  await bench.documents.remove(app)
  const putBack = async () => {
    isLate = false
    await bench.documents.insert(app)
  }
  isLate = true
  expect(await bench.tryPassword()).toMatchObject({ factors: expect.arrayContaining(['totp', 'passkey']) })
  expect((await bench.store.get(account.id))?.enrolled).toEqual(['totp', 'passkey'])
})

test('the column of kinds is written only if the store of factors differs, and keeps unknown kinds', async () => {
  let writes = 0
  const bench = createFactorsBench({
    aroundAccounts(method, run) {
      if (method === 'replace') writes += 1
      return run()
    },
  })
  const account = await bench.insert()
  await bench.addPasskey(await bench.signIn())
  writes = 0
  await bench.tryPassword()
  expect(writes).toBe(0)
  await bench.store.replace(account.id, {}, { enrolled: ['totp', 'sms'] })
  await bench.tryPassword()
  expect((await bench.store.get(account.id))?.enrolled).toEqual(['passkey', 'sms'])
})

test('a repair does not overwrite the kinds that a concurrent change has written', async () => {
  let changed: string[] | null = null
  const bench = createFactorsBench({
    async aroundAccounts(method, run) {
      if (method === 'replace' && changed) await bench.store.replace(account.id, {}, { enrolled: changed })
      return run()
    },
  })
  const account = await bench.insert()
  await bench.store.replace(account.id, {}, { enrolled: ['totp'] })
  changed = ['totp', 'passkey']
  await bench.tryPassword()
  expect((await bench.store.get(account.id))?.enrolled).toEqual(changed)
})
