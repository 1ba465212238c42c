import type { StoredDocument } from '@latchkey/store'
import { expect, test } from 'vitest'
import { invalidCredentials } from '../bench.ts'
import { createCrossing, type Meeting } from '../factors/crossing.ts'
import { beginPasskey, beginTotp, type FactorsBench } from '../factors/factors-bench.ts'
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
