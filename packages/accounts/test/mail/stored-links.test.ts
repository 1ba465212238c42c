import { encodeBase64url, sha256 } from '@latchkey/bytes'
import { createCredential } from '@latchkey/store'
import type { NewRecord } from '@latchkey/store/internal'
import { storedVersion } from '@latchkey/store/internal'
import { describe, expect, test } from 'vitest'
import { createBench, invalidLink, newPassword, password, passwords } from '../bench.ts'
import { askForChange } from '../own-account/mailed-links.ts'
import { askForCode, byCode, showCode } from '../sign-in/mailed-codes.ts'

const email = 'new@example.com'

/** A link as a release stores it: the digest of its secret, and what it stands for. */
function newLink(kind: 'verify' | 'reset', owner: string, value: string) {
  const { key, secret, text } = createCredential(kind)
  const stored = encodeBase64url(sha256(secret)) + value
  const record: NewRecord = { key, owner, expiresAt: Date.now() + 60_000, value: stored }
  return { token: text, record }
}

const ownerOf = (kind: 'pending' | 'reset') => `${kind}_${encodeBase64url(sha256(email))}`

describe('the link of a sign-up', () => {
  test('a sign-up link of the first release, without a browser, opens an account for the repeated password', async () => {
    for (const shown of [password, null]) {
      const bench = createBench()
      const passwordHash = (await passwords.hash(password)) as string
      const value = JSON.stringify({ email, name: 'Ada', passwordHash })
      const { token, record } = newLink('verify', ownerOf('pending'), value)
      await bench.records.insert({ ...record, expiresAt: bench.records.now() + 60_000 })
      const verified = await bench.accounts.verifyEmail({ token, password: shown, browserSecret: 'A'.repeat(43) })
      expect(verified).toMatchObject({ ok: true, account: { email }, hasPassword: shown !== null })
    }
  })

  test('a sign-up link of the first release with several sign-ups opens an account without a password', async () => {
    const bench = createBench()
    const value = JSON.stringify({ email, name: 'Ada', passwordHash: null })
    const { token, record } = newLink('verify', ownerOf('pending'), value)
    await bench.records.insert({ ...record, expiresAt: bench.records.now() + 60_000 })
    expect(await bench.accounts.verifyEmail({ token, password })).toMatchObject({ ok: true, hasPassword: false })
  })

  test.each([
    [
      'is of a newer release',
      JSON.stringify({ v: storedVersion + 1, email, name: 'Ada', passwordHash: null }),
      'NEWER',
    ],
    ['is damaged', '{"email":', 'INVALID'],
    ['lacks a member', JSON.stringify({ email, passwordHash: null }), 'INVALID'],
    ['names a browser by a number', JSON.stringify({ email, name: 'Ada', passwordHash: null, browser: 7 }), 'INVALID'],
  ])('a stored sign-up is an outage if it %s, and is kept', async (_how, value, code) => {
    const bench = createBench()
    const { token, record } = newLink('verify', ownerOf('pending'), value)
    await bench.records.insert({ ...record, expiresAt: bench.records.now() + 60_000 })
    const refusal = { name: 'StoreError', code: `STORE_DATA_${code}`, message: expect.stringMatching(/ sign-up[: ]/) }
    await expect(bench.accounts.verifyEmail({ token, password })).rejects.toMatchObject(refusal)
    expect(await bench.records.get(record.key)).not.toBeNull()
    expect(await bench.accounts.findByEmail(email)).toBeNull()
  })
})

describe('the link of a reset', () => {
  test('a reset link of the first release sets a password', async () => {
    const bench = createBench()
    const { id, epoch } = await bench.insert({ email })
    const { token, record } = newLink('reset', ownerOf('reset'), JSON.stringify({ id, epoch }))
    await bench.records.insert({ ...record, expiresAt: bench.records.now() + 60_000 })
    expect(await bench.accounts.resetPassword({ token, newPassword })).toMatchObject({ ok: true, account: { id } })
  })

  test.each([
    ['is of a newer release', { v: storedVersion + 1 }, 'NEWER'],
    ['lacks the account', { id: undefined }, 'INVALID'],
    ['lacks the epoch', { epoch: undefined }, 'INVALID'],
  ])('a stored reset is an outage if it %s, and sets no password', async (_how, change, code) => {
    const bench = createBench()
    const { id, epoch, passwordHash } = await bench.insert({ email })
    const { token, record } = newLink('reset', ownerOf('reset'), JSON.stringify({ id, epoch, ...change }))
    await bench.records.insert({ ...record, expiresAt: bench.records.now() + 60_000 })
    const attempt = bench.accounts.resetPassword({ token, newPassword })
    const refusal = { code: `STORE_DATA_${code}`, message: expect.stringMatching(/reset link[: ]/) }
    await expect(attempt).rejects.toMatchObject(refusal)
    expect(await bench.store.get(id)).toMatchObject({ epoch, passwordHash })
  })
})

describe('the link of a change of address', () => {
  test('a link of a release without marks is confirmed, and is invalid once a session is revoked', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const { identity } = await bench.signIn()
    const askWithoutMark = async () => {
      const { confirm: token } = await askForChange(bench, { identity })
      const stored = await bench.records.get(token.slice(0, token.indexOf('.')))
      if (!stored) throw new Error('the link is not stored')
      await bench.records.remove(stored.key)
      const { mark: _mark, ...value } = JSON.parse(stored.value.slice(43))
      await bench.records.insert({ ...stored, value: stored.value.slice(0, 43) + JSON.stringify(value) })
      return token
    }
    const cancelled = await askWithoutMark()
    await bench.accounts.revokeSession({ subject: id, key: 'se_of_another' })
    expect(await bench.accounts.confirmEmailChange({ token: cancelled })).toEqual(invalidLink)
    expect(await bench.accounts.confirmEmailChange({ token: await askWithoutMark() })).toMatchObject({ ok: true })
  })

  test.each([
    ['confirm-email-change', 'is of a newer release', { v: storedVersion + 1 }, 'NEWER'],
    ['confirm-email-change', 'is for neither address', { role: 'both' }, 'INVALID'],
    ['confirm-email-change', 'lacks an address', { to: undefined }, 'INVALID'],
    ['undo-email-change', 'is of a newer release', { v: storedVersion + 1 }, 'NEWER'],
    ['undo-email-change', 'lacks its moment', { since: undefined }, 'INVALID'],
  ] as const)(
    'a link of purpose %s is an outage if it %s, and the account is unchanged',
    async (purpose, _how, change, code) => {
      const bench = createBench()
      const account = await bench.insert()
      const signedIn = await bench.signIn()
      const tokens = await askForChange(bench, signedIn)
      const token = purpose === 'undo-email-change' ? tokens.undo : tokens.confirm
      const stored = await bench.records.get(token.slice(0, token.indexOf('.')))
      if (!stored) throw new Error('the link is not stored')
      await bench.records.remove(stored.key)
      const value = JSON.stringify({ ...JSON.parse(stored.value.slice(43)), ...change })
      await bench.records.insert({ ...stored, value: stored.value.slice(0, 43) + value })
      const refusal = { code: `STORE_DATA_${code}`, message: expect.stringMatching(/ change of address[: ]/) }
      const { confirmEmailChange, undoEmailChange } = bench.accounts
      const use = purpose === 'undo-email-change' ? undoEmailChange : confirmEmailChange
      await expect(use({ token })).rejects.toMatchObject(refusal)
      expect(await bench.store.get(account.id)).toEqual(account)
    },
  )
})

describe('the code of a mail', () => {
  test.each([
    ['is of a newer release', { v: storedVersion + 1 }, 'NEWER'],
    ['lacks its account', { accountId: undefined }, 'INVALID'],
    ['lacks its hash', { codeHash: undefined }, 'INVALID'],
    ['lacks the epoch', { epoch: undefined }, 'INVALID'],
  ])('a stored sign-in code is an outage if it %s, and does not sign in', async (_how, change, code) => {
    const bench = createBench({ options: byCode })
    const { id } = await bench.insert()
    const shown = await askForCode(bench)
    const stored = await bench.records.get(shown.challenge.slice(0, shown.challenge.indexOf('.')))
    if (!stored) throw new Error('the code is not stored')
    await bench.records.remove(stored.key)
    await bench.records.insert({ ...stored, value: JSON.stringify({ ...JSON.parse(stored.value), ...change }) })
    const refusal = { code: `STORE_DATA_${code}`, message: expect.stringMatching(/ sign-in code[: ]/) }
    await expect(showCode(bench, shown)).rejects.toMatchObject(refusal)
    expect(await bench.sessions.list(id)).toEqual([])
  })
})

test('links are written in the version that older processes read, until the upgrade is finished', async () => {
  for (const version of [0, storedVersion]) {
    const bench = createBench({ options: { storedVersion: () => version } })
    await bench.accounts.signUp({ email, password, name: 'Ada' })
    await bench.accounts.settled()
    const { items } = await bench.records.listByOwner(ownerOf('pending'))
    expect(items).toHaveLength(1)
    const value = JSON.parse(items[0]?.value.slice(43) ?? '')
    expect(value.v).toBe(version === 0 ? undefined : version)
  }
})
