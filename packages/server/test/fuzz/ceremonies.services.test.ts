import { createPasskeys } from '@latchkey/passkeys'
import { createSoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { createMemoryDocumentStore, createMemoryRecordStore } from '@latchkey/store'
import { anyCharacter } from '@latchkey/test-services/any-character'
import { createTotp } from '@latchkey/totp'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { changedMembers, changedResponse, type Member } from '../support/changed-responses.ts'
import { type Change, fuzz, fuzzTimeoutMs, mutated } from '../support/fuzzing.ts'

vi.setConfig({ testTimeout: fuzzTimeoutMs })

const secrets = [{ id: '2026-01', bytes: new Uint8Array(32).fill(7) }] as const
const now = () => 1_800_000_000_000
const origin = 'https://example.com'

function openPasskeys() {
  const relyingParty = { id: 'example.com', name: 'Example', origins: [origin] } as const
  const documents = createMemoryDocumentStore()
  const passkeys = createPasskeys({ documents, records: createMemoryRecordStore({ now }), secrets, relyingParty, now })
  const authenticator = createSoftwareAuthenticator({ origin, attestation: 'packed', algorithm: 'EdDSA' })
  return { passkeys, authenticator }
}

let drawn = 0

test.each(['none', 'packed'] as const)(
  'any response of a registration has a verdict (attestation: %s)',
  async (attestation) => {
    const { passkeys } = openPasskeys()
    const authenticator = createSoftwareAuthenticator({ origin, attestation, algorithm: 'EdDSA' })
    const judge = async ([member, all]: readonly [Member, readonly Change[]]) => {
      const account = { id: `acc_${++drawn}`, name: 'ada@example.com', displayName: 'Ada' }
      const { options } = await passkeys.startRegistration(account)
      const response = changedResponse(await authenticator.create(options), member, all)
      const verdict = await passkeys.finishRegistration(account.id, response, { name: 'Phone' })
      expect((await passkeys.list(account.id)).length).toBe(verdict.ok ? 1 : 0)
      return verdict.ok || verdict.reason !== 'malformed'
    }
    await fuzz({ inputs: changedMembers, judge, deep: 0.3 })
  },
)

test('any sign-in response gets a verdict, and signed data cannot be changed', async () => {
  const { passkeys, authenticator } = openPasskeys()
  const ada = { id: 'acc_ada', name: 'ada@example.com', displayName: 'Ada' }
  const { options } = await passkeys.startRegistration(ada)
  await passkeys.finishRegistration(ada.id, await authenticator.create(options), { name: 'Phone' })
  const judge = async ([member, all]: readonly [Member, readonly Change[]]) => {
    const asked = await passkeys.startSignIn()
    const shown = await authenticator.get(asked.options)
    const response = changedResponse(shown, member, all)
    const verdict = await passkeys.finishSignIn(response)
    if (verdict.ok) expect(JSON.parse(response)).toMatchObject({ id: shown.id, response: { ...shown.response } })
    return verdict.ok || verdict.reason !== 'malformed'
  }
  await fuzz({ inputs: changedMembers, judge, deep: 0.3 })
})

test('the enrolment link has this issuer and secret for any account name', async () => {
  const totp = createTotp({
    documents: createMemoryDocumentStore(),
    secrets,
    issuer: 'Example',
    now,
  })
  const hostile = mutated(
    ['ada@example.com', 'Evil:ada?secret=AAAA&issuer=Evil'],
    ['&', '#', '%', '%3A', '/', ':', '\r\n', '🔑', '\ud83d', '\u202e'],
  )
  const names = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 300 }), hostile)
  const judge = async (name: string) => {
    const { otpauthUri, secret } = await totp.enroll(`acc_${++drawn}`, name)
    const { protocol, host, pathname, searchParams, hash } = new URL(otpauthUri)
    expect([protocol, host, hash]).toEqual(['otpauth:', 'totp', ''])
    expect([...searchParams.keys()]).toEqual(['issuer', 'secret', 'algorithm', 'digits', 'period'])
    expect([searchParams.get('issuer'), searchParams.get('secret')]).toEqual(['Example', secret])
    expect(pathname.startsWith('/Example:')).toBe(true)
    return !pathname.endsWith(':Example')
  }
  await fuzz({ inputs: names, judge, deep: 0.5 })
})
