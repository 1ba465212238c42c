import type { StoredAccount } from '@latchkey/accounts'
import type { SignInSuccess } from '@latchkey/accounts/internal'
import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { invalidCredentials } from '../bench.ts'
import { wrapDocumentStore } from '../stores/test-stores.ts'
import {
  beginPasskey,
  beginTotp,
  challengeOf,
  createFactorsBench,
  type FactorsBench,
  storedFactors,
} from './factors-bench.ts'

const writes = new Set(['insert', 'replace', 'touch', 'remove', 'removeByOwner'])

/** Stores that end with the process at the nth write, before or after it has taken effect, until it is started again. */
function createFailing(when: 'before' | 'after') {
  let left = Number.POSITIVE_INFINITY
  let isDown = false
  const fail = (): never => {
    isDown = true
    throw new StoreError('STORE_UNAVAILABLE', 'the process has ended')
  }
  const around = async (method: string, run: () => Promise<unknown>): Promise<unknown> => {
    if (isDown) return fail()
    if (!writes.has(method) || --left > 0) return run()
    if (when === 'before') return fail()
    await run()
    return fail()
  }
  return {
    around,
    /** Lets the nth write from here on fail, and all calls after it. */
    endAt(nth: number) {
      left = nth
    },
    /** Returns whether a write has failed. */
    restart(): boolean {
      const hasEnded = isDown
      isDown = false
      left = Number.POSITIVE_INFINITY
      return hasEnded
    },
  }
}

/** A bench whose stores fail, and a device of the account that is signed in beside the one that changes the factor. */
function createScene(when: 'before' | 'after') {
  const failing = createFailing(when)
  const bench = createFactorsBench({
    aroundRecords: failing.around,
    aroundAccounts: failing.around,
    aroundDocuments: (store) => wrapDocumentStore(store, failing.around),
  })
  return { failing, bench }
}

/** What holds after every change, whatever has ended it: the factor that is in force is asked for. */
async function expectClosed(bench: FactorsBench, id: string, other: SignInSuccess): Promise<'asked' | 'open'> {
  const kinds = new Set((await storedFactors(bench, id)).map(({ kind }) => kind))
  const active = ['totp', 'passkey'].filter((kind) => kinds.has(kind))
  const account = await bench.store.get(id)
  expect(account?.enrolled).toEqual(expect.arrayContaining(active))
  if (active.length > 0 && other.credentials.delivery === 'session') {
    const session = await bench.sessions.read(other.credentials.credential)
    expect(await bench.accounts.identifySession(session)).toBeNull()
  }
  const result = await bench.tryPassword()
  expect(result).toMatchObject({ ok: true, status: active.length > 0 ? 'second-factor-required' : 'signed-in' })
  expect((await bench.store.get(id))?.enrolled).toEqual(active)
  return active.length > 0 ? 'asked' : 'open'
}

const adding = { 'an authenticator app': beginTotp, 'a passkey': beginPasskey }

describe.each(['before', 'after'] as const)('a process that crashes %s a write', (when) => {
  test.each(Object.entries(adding))(
    'while it adds %s leaves an account that asks for the factors that it has',
    async (_what, add) => {
      const seen = new Set<string>()
      for (let nth = 1; ; nth++) {
        const { failing, bench } = createScene(when)
        const { id } = await bench.insert()
        const other = await bench.signIn()
        const finish = await add(bench, await bench.signIn())
        failing.endAt(nth)
        await finish().catch((error) => expect(error).toMatchObject({ name: 'StoreError' }))
        const hasEnded = failing.restart()
        seen.add(await expectClosed(bench, id, other))
        if (!hasEnded) break
        expect(nth).toBeLessThan(40)
      }
      expect(seen).toEqual(new Set(['open', 'asked']))
    },
  )

  test('while it removes an authenticator app leaves the app active, or not requested', async () => {
    const seen = new Set<string>()
    for (let nth = 1; ; nth++) {
      const { failing, bench } = createScene(when)
      const account = await bench.insert()
      const { secret, identity } = await bench.enrollTotp(account)
      bench.advance(30)
      const code = bench.codeOf(secret)
      failing.endAt(nth)
      await bench.accounts.disableTotp({ identity, code }).catch(() => null)
      const hasEnded = failing.restart()
      const kinds = (await storedFactors(bench, account.id)).map(({ kind }) => kind)
      const result = await bench.tryPassword()
      expect(result).toMatchObject({ status: kinds.includes('totp') ? 'second-factor-required' : 'signed-in' })
      seen.add(kinds.includes('totp') ? 'asked' : 'open')
      if (!hasEnded) break
      expect(nth).toBeLessThan(40)
    }
    expect(seen).toEqual(new Set(['open', 'asked']))
  })

  test('during a sign-in with a second factor delivers no credentials', async () => {
    for (let nth = 1; ; nth++) {
      const { failing, bench } = createScene(when)
      const account = await bench.insert()
      const { secret, identity } = await bench.enrollTotp(account)
      bench.advance(30)
      const asked = await bench.tryPassword()
      const challenge = asked.ok && asked.status === 'second-factor-required' ? asked.challenge : ''
      failing.endAt(nth)
      const answer = bench.accounts.verifySecondFactor({ delivery: 'session', challenge, code: bench.codeOf(secret) })
      const result = await answer.catch(() => null)
      if (!failing.restart()) break
      expect(result).toBeNull()
      expect(nth).toBeLessThan(40)
      expect(identity.key).not.toBe('')
    }
  })
})

/** Ways to the last factor's end, each begun and then finished: what is finished is what a process may not survive. */
const removing = {
  'the owner removes an authenticator app': async (bench: FactorsBench, account: StoredAccount) => {
    const { secret, codes, identity } = await bench.enrollTotp(account)
    bench.advance(30)
    return { codes, finish: () => bench.accounts.disableTotp({ identity, code: bench.codeOf(secret) }) }
  },
  'the owner removes a passkey': async (bench: FactorsBench) => {
    const { codes, identity, id } = await bench.addPasskey(await bench.signIn())
    return { codes: codes ?? [], finish: () => bench.accounts.removePasskey({ identity, id }) }
  },
  'an administrator resets the factors': async (bench: FactorsBench, account: StoredAccount) => {
    const { codes } = await bench.enrollTotp(account)
    return { codes, finish: () => bench.accounts.resetFactors({ id: account.id }) }
  },
}

describe.each(['before', 'after'] as const)('after a process that has crashed %s a write', (when) => {
  test.each(Object.entries(removing))(
    'while %s, the next first factor returns new recovery codes, and the old codes are invalid',
    async (_what, begin) => {
      for (let nth = 1; ; nth++) {
        const { failing, bench } = createScene(when)
        const account = await bench.insert()
        const { codes: old, finish } = await begin(bench, account)
        failing.endAt(nth)
        await finish().catch((error) => expect(error).toMatchObject({ name: 'StoreError' }))
        const hasEnded = failing.restart()
        const signedIn = await bench.tryPassword()
        if (signedIn.ok && signedIn.status === 'signed-in') {
          bench.advance(60)
          const { codes } = await bench.enrollTotp(account)
          expect(codes).toHaveLength(10)
          expect(codes).not.toEqual(expect.arrayContaining([...old]))
          const challenge = await challengeOf(bench.tryPassword())
          const [code = ''] = old
          expect(await bench.accounts.verifySecondFactor({ delivery: 'session', challenge, code })).toEqual(
            invalidCredentials,
          )
        }
        if (!hasEnded) break
        expect(nth).toBeLessThan(40)
      }
    },
  )
})

test('a factor that is added while a sign-in repairs the column is in the column', async () => {
  let meanwhile: () => Promise<unknown> = async () => null
  const bench = createFactorsBench({
    aroundDocuments: (store) => ({
      ...store,
      async insert(factor) {
        // The column names the kind, and no factor is in force yet.
        await meanwhile()
        return store.insert(factor)
      },
    }),
  })
  const { id } = await bench.insert()
  const finish = await adding['a passkey'](bench, await bench.signIn())
  const seen: unknown[] = []
  meanwhile = async () => {
    seen.push((await bench.store.get(id))?.enrolled)
    await bench.tryPassword()
    seen.push((await bench.store.get(id))?.enrolled)
    meanwhile = async () => null
  }
  expect(await finish()).toMatchObject({ ok: true })
  expect(seen).toEqual([['passkey'], []])
  expect(await bench.store.get(id)).toMatchObject({ enrolled: ['passkey'] })
})
