import { readFileSync } from 'node:fs'
import { createRefreshTokens } from '@latchkey/sessions'
import { createMemoryRecordStore } from '@latchkey/store'
import type { NewRecord } from '@latchkey/store/internal'
import { describe, expect, test } from 'vitest'

const at = 1_790_000_000_000
const secrets = [{ id: '2026-11', bytes: new Uint8Array(32).fill(7) }] as const

// Families of a client that end with a session, or are for certain resources, or remember a sign-in: written by the release
// that has begun to, and never edited.
type Golden = Readonly<
  Record<'session' | 'resources' | 'authenticated', { readonly token: string; readonly record: NewRecord }>
>
const golden: Golden = JSON.parse(readFileSync(new URL('client-families.json', import.meta.url), 'utf8'))

const api = 'https://api.example.com/'
const rows = [
  ['session', { session: 'se_1', resources: [], authenticatedAt: null, keyBinding: null }],
  [
    'resources',
    { session: null, resources: [api, 'https://id.example.com/graphql'], authenticatedAt: null, keyBinding: null },
  ],
  ['authenticated', { session: 'se_1', resources: [api], authenticatedAt: at - 120_000, keyBinding: 'thumbprint' }],
] as const

async function openGolden(change: (value: string) => string = (value) => value) {
  const records = createMemoryRecordStore({ now: () => at + 1000 })
  for (const { record } of Object.values(golden)) await records.insert({ ...record, value: change(record.value) })
  return { records, refreshTokens: createRefreshTokens({ records, secrets, onEvent: () => undefined }) }
}

describe.each(rows)('a stored family of a client with %s', (name, kept) => {
  const { token, record } = golden[name]
  const presenter = { clientId: 'demo-web', channel: 'oauth', keyBinding: kept.keyBinding }
  const known = { ...kept, clientId: 'demo-web', grant: 'gr_1', scopes: ['openid', 'offline_access'], epoch: 3 }

  test('is read by this release', async () => {
    const { refreshTokens } = await openGolden()
    expect(await refreshTokens.read(record.key)).toMatchObject(known)
    expect(await refreshTokens.identify(token)).toMatchObject(known)
  })

  test('keeps what it was given by through rotation, renewal and replacement', async () => {
    const { refreshTokens, records } = await openGolden()
    const names = Object.keys(JSON.parse(record.value))
    const verdict = await refreshTokens.redeem(token, presenter)
    if (!verdict.ok) throw new Error(verdict.reason)
    expect(verdict.family).toMatchObject(known)
    expect(Object.keys(JSON.parse((await records.get(record.key))?.value ?? ''))).toEqual(names)
    const totp = { kind: 'totp', at, category: 'have' } as const
    expect(await refreshTokens.renew(verdict.family, { epoch: 4, factors: [totp] })).toBe(true)
    expect(await refreshTokens.read(record.key)).toMatchObject({ ...known, epoch: 4 })
    const next = await refreshTokens.regenerate(verdict.family, { epoch: 5 })
    expect(next?.family).toMatchObject({ ...known, epoch: 5 })
    expect(await refreshTokens.read(next?.family.key ?? '')).toMatchObject({ ...known, epoch: 5 })
  })

  test('is refused as an outage if a member is invalid', async () => {
    for (const members of [
      { session: 1 },
      { session: null },
      { resources: 'all' },
      { resources: [1] },
      { authenticatedAt: '1' },
    ]) {
      const { refreshTokens } = await openGolden((value) => JSON.stringify({ ...JSON.parse(value), ...members }))
      const invalid = { name: 'StoreError', code: 'STORE_DATA_INVALID' }
      await expect(refreshTokens.read(record.key)).rejects.toMatchObject(invalid)
      await expect(refreshTokens.redeem(token, presenter)).rejects.toMatchObject(invalid)
    }
  })
})

test('the families of one session end with it, and others stay', async () => {
  const { refreshTokens } = await openGolden()
  expect(await refreshTokens.revokeBySession('acc_1', 'se_1')).toBe(2)
  expect(await refreshTokens.read(golden.session.record.key)).toBeNull()
  expect(await refreshTokens.read(golden.authenticated.record.key)).toBeNull()
  expect(await refreshTokens.read(golden.resources.record.key)).not.toBeNull()
})
