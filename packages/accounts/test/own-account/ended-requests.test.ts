import type { SignInSuccess } from '@latchkey/accounts/internal'
import { createMemoryRecordStore, StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, email, invalidLink } from '../bench.ts'
import { askForChange, newEmail, tokenTo } from './mailed-links.ts'

/** An owner, and another session of the same account that has asked for another address. */
async function openAskedByAnother(options: Parameters<typeof createBench>[0] = {}) {
  const bench = createBench(options)
  const { id } = await bench.insert()
  await bench.signIn()
  const thief = await bench.signIn()
  const links = await askForChange(bench, thief)
  return { bench, id, ...links, revoke: { subject: id, key: thief.identity.key } }
}

interface Owned {
  readonly id: string
  readonly identity: SignInSuccess['identity']
}

describe('a change of address that is not confirmed yet', () => {
  test('a requested change is invalid once another session revokes a session of the account', async () => {
    const { bench, id, confirm, undo, revoke } = await openAskedByAnother()
    expect(await bench.accounts.revokeSession(revoke)).toBe(true)
    expect(await bench.accounts.checkLink({ purpose: 'confirm-email-change', token: confirm })).toEqual(invalidLink)
    expect(await bench.accounts.confirmEmailChange({ token: confirm })).toEqual(invalidLink)
    expect((await bench.store.get(id))?.email).toBe(email)
    expect(await bench.accounts.checkLink({ purpose: 'undo-email-change', token: undo })).toMatchObject({ ok: true })
  })

  test('a requested change is confirmed after its own session has signed out', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const { identity } = await bench.signIn()
    const { confirm } = await askForChange(bench, { identity })
    expect(await bench.accounts.signOut({ identity, refreshToken: null })).toBe(true)
    expect(await bench.accounts.confirmEmailChange({ token: confirm })).toMatchObject({ ok: true })
    expect((await bench.store.get(id))?.email).toBe(newEmail)
  })

  test('a store that fails to remove a requested change rejects, and the next attempt removes it', async () => {
    let isDown = false
    const { bench, confirm, revoke } = await openAskedByAnother({
      aroundRecords(method, run) {
        if (isDown && method === 'removeByOwner') throw new StoreError('STORE_UNAVAILABLE', 'down')
        return run()
      },
    })
    isDown = true
    await expect(bench.accounts.revokeSession(revoke)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    isDown = false
    await bench.accounts.revokeSession(revoke)
    expect(await bench.accounts.confirmEmailChange({ token: confirm })).toEqual(invalidLink)
  })

  /** Requests another address, does the deed before its mails are written, and returns the link of the mail. */
  async function askThen(deed: (bench: Bench, owned: Owned) => Promise<unknown>): Promise<[Bench, string]> {
    const bench = createBench({ options: { mails: { maxDelayMs: 50 } } })
    const { id } = await bench.insert()
    const { identity } = await bench.signIn()
    await bench.accounts.requestEmailChange({ identity, newEmail })
    await deed(bench, { identity, id })
    return [bench, await tokenTo(bench, newEmail, 'confirm-email-change')]
  }

  test('a requested change whose mails are still to come is invalid once a session of the account is revoked', async () => {
    const [bench, token] = await askThen(({ accounts }, { id, identity }) =>
      accounts.revokeSession({ subject: id, key: identity.key }),
    )
    expect(await bench.accounts.checkLink({ purpose: 'confirm-email-change', token })).toEqual(invalidLink)
    expect(await bench.accounts.confirmEmailChange({ token })).toEqual(invalidLink)
    expect(await bench.store.getByEmail(newEmail)).toBeNull()
  })

  test('a requested change whose mails are still to come is confirmed after its own session has signed out', async () => {
    const [bench, token] = await askThen(({ accounts }, { identity }) =>
      accounts.signOut({ identity, refreshToken: null }),
    )
    expect(await bench.accounts.confirmEmailChange({ token })).toMatchObject({ ok: true })
  })

  test('a change that is requested after a cancellation is confirmed, and the link that was cancelled is invalid', async () => {
    const [bench, cancelled] = await askThen(async ({ accounts, signIn }, { id, identity }) => {
      await accounts.revokeSession({ subject: id, key: identity.key })
      await accounts.requestEmailChange({ identity: (await signIn()).identity, newEmail: 'own@example.com' })
    })
    const own = await tokenTo(bench, 'own@example.com', 'confirm-email-change')
    expect(await bench.accounts.confirmEmailChange({ token: cancelled })).toEqual(invalidLink)
    expect(await bench.accounts.confirmEmailChange({ token: own })).toMatchObject({ ok: true })
  })

  test('a request of a session that was revoked in the meantime sends no mail and has no event', async () => {
    const { bench, revoke } = await openAskedByAnother()
    const { identity } = await bench.signIn()
    const [mails, events] = [bench.outbox.length, bench.events.length]
    await bench.accounts.revokeSession({ ...revoke, key: identity.key })
    expect(await bench.accounts.requestEmailChange({ identity, newEmail: 'late@example.com' })).toBe(true)
    await bench.accounts.settled()
    expect(bench.outbox).toHaveLength(mails)
    expect(bench.events.slice(events).map(({ type }) => type)).toEqual(['session.ended'])
  })

  test('two changes requested at once have links that both work, and a later request keeps the first link valid', async () => {
    const bench = createBench()
    await bench.insert()
    const { identity } = await bench.signIn()
    const addresses = ['first@example.com', 'second@example.com']
    await Promise.all(addresses.map((to) => bench.accounts.requestEmailChange({ identity, newEmail: to })))
    const links = await Promise.all(addresses.map((to) => tokenTo(bench, to, 'confirm-email-change')))
    for (const token of links)
      expect(await bench.accounts.checkLink({ purpose: 'confirm-email-change', token })).toMatchObject({ ok: true })
  })

  test('a link works for its whole lifetime after a request that found the mark of an earlier one', async () => {
    const bench = createBench()
    await bench.insert()
    const { identity } = await bench.signIn()
    await askForChange(bench, { identity }, 'first@example.com')
    bench.advance(600)
    const { confirm } = await askForChange(bench, { identity }, 'second@example.com')
    bench.advance(86_399)
    expect(await bench.accounts.confirmEmailChange({ token: confirm })).toMatchObject({ ok: true })
  })

  test('a change is requested while a process whose clock is ahead takes the mark of an earlier request for expired', async () => {
    let time = 1_800_000_000_000
    const records = createMemoryRecordStore({ now: () => time })
    const bench = createBench({ options: { records, now: () => time + 60_000 } })
    const { id: subject } = await bench.insert()
    const ask = (to: string) => bench.accounts.requestEmailChange({ identity: { subject }, newEmail: to })
    await ask('first@example.com')
    time += 86_400_000 + 30_000
    await ask(newEmail)
    const token = await tokenTo(bench, newEmail, 'confirm-email-change')
    expect(await bench.accounts.confirmEmailChange({ token })).toMatchObject({ ok: true })
  })
})
