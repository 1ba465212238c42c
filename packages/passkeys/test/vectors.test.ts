import { readFileSync } from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'
import { ada, createBench } from './passkeys-bench.ts'

// W3C, Web Authentication Level 3, section 16: https://www.w3.org/TR/webauthn-3/#sctn-test-vectors
type Hex<Name extends string> = Readonly<Record<Name, string>>

interface Vector {
  readonly registration: Hex<'challenge' | 'clientDataJSON' | 'attestationObject' | 'credentialId'>
  readonly authentication: Hex<'challenge' | 'clientDataJSON' | 'authenticatorData' | 'signature'>
}

const fixture = new URL('fixtures/webauthn-vectors.json', import.meta.url)
const { vectors }: { vectors: Readonly<Record<string, Vector>> } = JSON.parse(readFileSync(fixture, 'utf8'))

const base64url = (hex: string) => Buffer.from(hex, 'hex').toString('base64url')
const credentialOf = ({ registration }: Vector, members: object) => {
  const id = base64url(registration.credentialId)
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response: members }
}

afterEach(() => {
  vi.restoreAllMocks()
})

/** The next challenge is that of the vector: random bytes come from the platform alone. */
function nextChallenge(hex: string): void {
  vi.spyOn(crypto, 'getRandomValues').mockImplementationOnce((array) => {
    if (array instanceof Uint8Array) array.set(Buffer.from(hex, 'hex'))
    return array
  })
}

function openVector() {
  return createBench({
    userVerification: 'preferred',
    relyingParty: { id: 'example.org', name: 'Example', origins: ['https://example.org'] },
  }).passkeys
}

type Opened = ReturnType<typeof openVector>

async function register(passkeys: Opened, vector: Vector, attestationObject: string) {
  const { clientDataJSON, challenge } = vector.registration
  nextChallenge(challenge)
  await passkeys.startRegistration(ada)
  const members = { clientDataJSON: base64url(clientDataJSON), attestationObject: base64url(attestationObject) }
  return passkeys.finishRegistration(ada.id, credentialOf(vector, members), { name: 'Vector' })
}

async function signIn(passkeys: Opened, vector: Vector) {
  const { challenge, ...members } = vector.authentication
  nextChallenge(challenge)
  await passkeys.startSignIn({ accountId: ada.id })
  const texts = Object.entries(members).map(([name, hex]) => [name, base64url(hex)])
  return passkeys.finishSignIn(credentialOf(vector, Object.fromEntries(texts)))
}

test.each(['none-es256', 'packed-self-es256', 'none-es256-long-credential-id'])(
  'the vector %s is registered and signs in',
  async (name) => {
    const vector = vectors[name]!
    const passkeys = openVector()
    expect(await register(passkeys, vector, vector.registration.attestationObject)).toMatchObject({ ok: true })
    expect(await signIn(passkeys, vector)).toMatchObject({ ok: true, accountId: ada.id })
  },
)

test.each(['packed-es256', 'packed-rs256', 'packed-eddsa'])(
  'the attestation of the vector %s is refused, and its passkey signs in without one',
  async (name) => {
    const vector = vectors[name]!
    const passkeys = openVector()
    const { attestationObject } = vector.registration
    expect(await register(passkeys, vector, attestationObject)).toEqual({ ok: false, reason: 'attestation' })
    expect(await register(passkeys, vector, withoutAttestation(attestationObject))).toMatchObject({ ok: true })
    expect(await signIn(passkeys, vector)).toMatchObject({ ok: true, accountId: ada.id })
  },
)

test.each([
  ['none-es256-crossOrigin', 'cross-origin'],
  ['none-es256-topOrigin', 'cross-origin'],
  ['fido-u2f-es256', 'attestation'],
])('the vector %s is refused as %s', async (name, reason) => {
  const vector = vectors[name]!
  const passkeys = openVector()
  expect(await register(passkeys, vector, vector.registration.attestationObject)).toEqual({ ok: false, reason })
  expect(await passkeys.list(ada.id)).toEqual([])
})

test.each(['none-es256', 'packed-rs256', 'packed-eddsa'])(
  'a changed signature of the vector %s is refused',
  async (name) => {
    const vector = vectors[name]!
    const passkeys = openVector()
    await register(passkeys, vector, withoutAttestation(vector.registration.attestationObject))
    const { signature } = vector.authentication
    const changed = `${signature.slice(0, -2)}${signature.endsWith('00') ? '01' : '00'}`
    const verdict = await signIn(passkeys, {
      ...vector,
      authentication: { ...vector.authentication, signature: changed },
    })
    expect(verdict).toEqual({ ok: false, reason: 'signature' })
  },
)

/** The same authenticator data, the last member of the map, as clients send it when no attestation was asked for. */
function withoutAttestation(attestationObject: string): string {
  const hex = (text: string) => Buffer.from(text).toString('hex')
  const [, data] = attestationObject.split(`68${hex('authData')}`)
  return `a363${hex('fmt')}64${hex('none')}67${hex('attStmt')}a068${hex('authData')}${data}`
}
