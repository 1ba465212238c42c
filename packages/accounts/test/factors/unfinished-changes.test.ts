import type { Attempt, StoredAccount } from '@latchkey/accounts'
import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { invalidCredentials } from '../bench.ts'
import { type AroundAccounts, createSilence, wrapDocumentStore } from '../stores/test-stores.ts'
import {
  challengeOf,
  createFactorsBench,
  type FactorsBench,
  type FactorsBenchOptions,
  storedFactors,
} from './factors-bench.ts'

const attempt: Attempt = { address: '203.0.113.9', deviceToken: null, channel: 'page', requestId: 'r-1' }

/** A bench whose store of accounts fails from the first change on that it has made. */
function createFailing() {
  const state = { fails: 'never' as 'never' | 'after the next change' | 'now' }
  const bench = createFactorsBench({
    aroundAccounts: async (method, run) => {
      if (state.fails === 'now') throw new StoreError('STORE_UNAVAILABLE', 'down')
      const result = await run()
      if (state.fails !== 'never' && method === 'replace') state.fails = 'now'
      return result
    },
  })
  return { bench, state }
}

const cleanUps = ({ events }: FactorsBench) => events.filter(({ type }) => type === 'clean-up.failed')

/** What an event says of where it came from. */
const said = ({ id }: StoredAccount) => ({
  accountId: id,
  address: '203.0.113.9',
  channel: 'page',
  requestId: 'r-1',
  failure: 'STORE_UNAVAILABLE',
})

describe('a change of a factor that is made stands, though the store of accounts fails after it:', () => {
  test('an app is active, its codes are returned, and an event reports the failed clean-up', async () => {
    const { bench, state } = createFailing()
    const account = await bench.insert()
    const { identity } = await bench.signIn()
    const begun = await bench.accounts.startTotpEnrollment({ identity })
    state.fails = 'after the next change'
    const code = bench.codeOf(begun.ok ? begun.secret : '')
    const confirmed = await bench.accounts.confirmTotpEnrollment({ identity, code, attempt })
    expect(confirmed).toMatchObject({ ok: true, codes: expect.any(Array) })
    expect(cleanUps(bench)).toMatchObject([said(account), said(account)])
    state.fails = 'never'
    expect(await bench.tryPassword()).toMatchObject({ status: 'second-factor-required' })
  })

  test('an app is removed, and an event reports the failed clean-up', async () => {
    const { bench, state } = createFailing()
    const account = await bench.insert()
    const { secret, identity } = await bench.enrollTotp(account)
    bench.advance(30)
    state.fails = 'after the next change'
    const code = bench.codeOf(secret)
    expect(await bench.accounts.disableTotp({ identity, code, attempt })).toMatchObject({ ok: true })
    expect(cleanUps(bench)).toMatchObject([said(account), said(account)])
    state.fails = 'never'
    expect(await bench.tryPassword()).toMatchObject({ status: 'signed-in' })
  })
})

test('the set-up of an app is answered after five deadlines if the stores fall silent once the app is stored', async () => {
  const silence = createSilence()
  const { around } = silence
  let isConfirming = false
  const bench = createFactorsBench({
    aroundAccounts: around,
    aroundDocuments: (store) => wrapDocumentStore(store, around),
    async aroundRecords(method, run) {
      const answer = await around(method, run)
      // The session is carried over for the second time once the app is stored.
      if (isConfirming && method === 'replace') silence.begin()
      return answer
    },
  })
  await bench.insert()
  const { identity } = await bench.signIn()
  const started = await bench.accounts.startTotpEnrollment({ identity })
  isConfirming = true
  const code = bench.codeOf(started.ok ? started.secret : '')
  const confirming = bench.accounts.confirmTotpEnrollment({ identity, code, attempt })
  confirming.catch(() => undefined)
  expect(await silence.passDeadlines(confirming)).toHaveLength(5)
  await expect(confirming).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
})

test('an app that follows a removed app has new recovery codes, and the old codes are invalid, though the store failed to remove them', async () => {
  let isDown = false
  const bench = createFactorsBench({
    aroundDocuments: (store) => ({
      ...store,
      async remove(document) {
        if (isDown && document.collection === 'factor-recovery-code') throw new StoreError('STORE_UNAVAILABLE', 'down')
        return store.remove(document)
      },
    }),
  })
  const account = await bench.insert()
  const { secret, codes: old, identity } = await bench.enrollTotp(account)
  bench.advance(30)
  isDown = true
  const disabled = await bench.accounts.disableTotp({ identity, code: bench.codeOf(secret), attempt })
  expect(disabled).toMatchObject({ ok: true })
  expect(cleanUps(bench)).toMatchObject([said(account)])
  expect((await storedFactors(bench, account.id)).map(({ kind }) => kind)).toEqual(['recovery-code'])
  isDown = false
  const { codes } = await bench.enrollTotp(account)
  expect(codes).toHaveLength(old.length)
  const answer = async (code = '') => {
    const challenge = await challengeOf(bench.tryPassword())
    return bench.accounts.verifySecondFactor({ delivery: 'session', challenge, code })
  }
  for (const code of old) expect(await answer(code)).toEqual(invalidCredentials)
  expect(await answer(codes[0])).toMatchObject({ ok: true })
})

test('new recovery codes whose session was carried to the new epoch leave no old session valid, though no session can be revoked', async () => {
  const state = { isChanging: false, replaces: 0, isDown: false }
  const down = () => new StoreError('STORE_UNAVAILABLE', 'down')
  const bench = createFactorsBench({
    aroundAccounts: async (method, run) => {
      // The second swap of the change fails, after the session was carried to the epoch of the first.
      if (state.isChanging && method === 'replace' && ++state.replaces === 2) {
        state.isDown = true
        throw down()
      }
      return run()
    },
    aroundRecords: async (_method, run) => {
      if (state.isDown) throw down()
      return run()
    },
  })
  const account = await bench.insert()
  const { secret, identity, credential } = await bench.enrollTotp(account)
  bench.advance(30)
  state.isChanging = true
  const replaced = await bench.accounts.regenerateRecoveryCodes({ identity, code: bench.codeOf(secret) })
  expect(replaced).toMatchObject({ ok: true, codes: expect.any(Array), credentials: null })
  state.isDown = false
  const left = await bench.sessions.read(credential)
  expect(left).not.toBeNull()
  expect(await bench.accounts.identifySession(left)).toBeNull()
})

describe('something else happens while a factor changes:', () => {
  /** Runs once, before a factor is removed, or before one of this kind is stored. */
  function createMeeting(options: FactorsBenchOptions = {}) {
    const meeting = {
      onRemove: async (): Promise<unknown> => true,
      onInsert: async (_kind: string): Promise<unknown> => true,
    }
    const bench = createFactorsBench({
      ...options,
      aroundDocuments: (store) => ({
        ...store,
        async insert(factor) {
          await meeting.onInsert(factor.collection)
          return store.insert(factor)
        },
        async remove(document) {
          const { onRemove } = meeting
          meeting.onRemove = async () => true
          await onRemove()
          return store.remove(document)
        },
      }),
    })
    return { bench, meeting }
  }

  test('recovery codes that cannot be stored are an event, and the app counts without them', async () => {
    const { bench, meeting } = createMeeting()
    const account = await bench.insert()
    const { identity } = await bench.signIn()
    const begun = await bench.accounts.startTotpEnrollment({ identity })
    meeting.onInsert = async (collection) => {
      if (collection === 'factor-recovery-code') throw new StoreError('STORE_UNAVAILABLE', 'down')
    }
    const code = bench.codeOf(begun.ok ? begun.secret : '')
    const confirmed = await bench.accounts.confirmTotpEnrollment({ identity, code, attempt })
    expect(confirmed).toMatchObject({ ok: true, codes: null })
    expect(cleanUps(bench)).toMatchObject([said(account)])
    expect(await bench.tryPassword()).toMatchObject({ status: 'second-factor-required', factors: ['totp'] })
  })

  test.each([
    ['is named by no column', false],
    ['is an event where the store fails at the column', true],
  ])('an app whose enrolment is removed before its activation %s', async (_what, fails) => {
    let isDown = false
    const aroundAccounts: AroundAccounts = async (_method, run) => {
      if (isDown) throw new StoreError('STORE_UNAVAILABLE', 'down')
      return run()
    }
    const { bench, meeting } = createMeeting({ aroundAccounts })
    const account = await bench.insert()
    const { identity } = await bench.signIn()
    const begun = await bench.accounts.startTotpEnrollment({ identity })
    meeting.onInsert = async () => {
      isDown = fails
      for (const factor of await storedFactors(bench, account.id)) await bench.documents.remove(factor)
    }
    const code = bench.codeOf(begun.ok ? begun.secret : '')
    expect(await bench.accounts.confirmTotpEnrollment({ identity, code, attempt })).toEqual(invalidCredentials)
    expect(cleanUps(bench)).toMatchObject(fails ? [said(account)] : [])
    expect((await bench.store.get(account.id))?.enrolled).toEqual(fails ? ['totp'] : [])
    expect(await storedFactors(bench, account.id)).toEqual([])
  })

  test('an app of a removed account is not activated and leaves no record', async () => {
    const { bench, meeting } = createMeeting()
    const { id } = await bench.insert()
    const { identity } = await bench.signIn()
    const begun = await bench.accounts.startTotpEnrollment({ identity })
    meeting.onInsert = () => bench.store.remove(id)
    const code = bench.codeOf(begun.ok ? begun.secret : '')
    expect(await bench.accounts.confirmTotpEnrollment({ identity, code })).toEqual(invalidCredentials)
    expect((await storedFactors(bench, id)).filter(({ kind }) => kind === 'totp')).toEqual([])
  })

  test('a passkey that is gone before it is removed is neither an event nor a mail', async () => {
    const { bench, meeting } = createMeeting()
    const account = await bench.insert()
    const { identity, id } = await bench.addPasskey(await bench.signIn())
    await bench.accounts.settled()
    const mails = bench.outbox.length
    const stored = (await storedFactors(bench, account.id)).find(({ kind }) => kind === 'passkey')
    meeting.onRemove = async () => stored && bench.documents.remove(stored)
    expect(await bench.accounts.removePasskey({ identity, id })).toMatchObject({ ok: true })
    await bench.accounts.settled()
    expect(bench.events.filter(({ type }) => type === 'factor.removed')).toEqual([])
    expect(bench.outbox).toHaveLength(mails)
  })

  test('a failure to revoke the sessions of a changed account is an event, and no session stays valid', async () => {
    let gets = Number.NEGATIVE_INFINITY
    const aroundAccounts: AroundAccounts = async (method, run) => {
      if (method === 'get' && ++gets > 1) throw new StoreError('STORE_UNAVAILABLE', 'down')
      return run()
    }
    const { bench, meeting } = createMeeting({ aroundAccounts })
    const account = await bench.insert()
    const { secret, identity } = await bench.enrollTotp(account)
    bench.advance(30)
    meeting.onRemove = async () => {
      await bench.store.replace(account.id, {}, { epoch: 9 })
      gets = 0
    }
    const code = bench.codeOf(secret)
    const changed = await bench.accounts.disableTotp({ identity, code, attempt })
    expect(changed).toMatchObject({ ok: true, credentials: null })
    expect(cleanUps(bench)).toMatchObject([said(account), said(account)])
  })
})

test('an identity without a session changes a factor by a code and revokes all sessions', async () => {
  const bench = createFactorsBench()
  const account = await bench.insert()
  const { secret, identity } = await bench.enrollTotp(account)
  bench.advance(30)
  const { key: _key, ...unkeyed } = identity
  const changed = await bench.accounts.disableTotp({ identity: unkeyed, code: bench.codeOf(secret) })
  expect(changed).toMatchObject({ ok: true, credentials: null })
  expect(await bench.accounts.listFactors(account.id)).toEqual([])
  expect(await bench.accounts.listSessions(account.id)).toEqual([])
})

test('a factor is not removed by a revoked session, and other sessions stay valid', async () => {
  const bench = createFactorsBench()
  const account = await bench.insert()
  const { secret, identity } = await bench.enrollTotp(account)
  bench.advance(30)
  await bench.sessions.revoke(account.id, identity.key)
  const stored = await bench.store.get(account.id)
  expect(await bench.accounts.disableTotp({ identity, code: bench.codeOf(secret) })).toMatchObject({ ok: false })
  expect(bench.events.at(-1)).toMatchObject({ type: 'second-factor.failed', factor: 'totp', reason: 'account-changed' })
  expect(await bench.store.get(account.id)).toEqual(stored)
  expect(await bench.accounts.listFactors(account.id)).toHaveLength(2)
})

describe('a factor is not added by a revoked session, and leaves no record:', () => {
  test('an app', async () => {
    const bench = createFactorsBench()
    const { id } = await bench.insert()
    const { identity } = await bench.signIn()
    const begun = await bench.accounts.startTotpEnrollment({ identity })
    await bench.sessions.revoke(id, identity.key)
    const code = bench.codeOf(begun.ok ? begun.secret : '')
    expect(await bench.accounts.confirmTotpEnrollment({ identity, code })).toEqual(invalidCredentials)
    expect(await bench.accounts.listFactors(id)).toEqual([])
    expect(await bench.store.get(id)).toMatchObject({ enrolled: [], epoch: 0 })
  })

  test('a passkey', async () => {
    const bench = createFactorsBench()
    const { id } = await bench.insert()
    const { identity } = await bench.signIn()
    const begun = await bench.accounts.startPasskeyRegistration({ identity })
    const response = await bench.authenticator.create((begun.ok && begun.options) as never)
    await bench.sessions.revoke(id, identity.key)
    const added = bench.accounts.finishPasskeyRegistration({ identity, name: 'Phone', response })
    expect(await added).toEqual(invalidCredentials)
    expect(await bench.accounts.listFactors(id)).toEqual([])
    expect(await bench.store.get(id)).toMatchObject({ enrolled: [], epoch: 0 })
  })
})

test('removePasskey with an unknown id removes no passkey', async () => {
  const bench = createFactorsBench()
  const account = await bench.insert()
  const { identity } = await bench.addPasskey(await bench.signIn())
  const stored = await bench.store.get(account.id)
  expect(await bench.accounts.removePasskey({ identity, id: 'another' })).toBeNull()
  expect(await bench.store.get(account.id)).toEqual(stored)
  expect(await bench.accounts.listPasskeys(account.id)).toHaveLength(1)
})
