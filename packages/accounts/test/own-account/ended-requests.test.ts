import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createBench, email, invalidLink } from '../bench.ts'
import { askForChange, newEmail } from './mailed-links.ts'

/** An owner, and another session of the same account that has asked for another address. */
async function openAskedByAnother(options: Parameters<typeof createBench>[0] = {}) {
  const bench = createBench(options)
  const { id } = await bench.insert()
  await bench.signIn()
  const thief = await bench.signIn()
  const links = await askForChange(bench, thief)
  return { bench, id, ...links, revoke: { subject: id, key: thief.identity.key } }
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
})
