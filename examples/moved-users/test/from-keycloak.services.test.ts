import { argon2Sync, pbkdf2Sync, randomBytes } from 'node:crypto'
import { unknownAttempt } from '@latchkey/accounts'
import { codeAt } from '@latchkey/test-services'
import { expect, test } from 'vitest'
import { type KeycloakCredential, type KeycloakUser, moveFromKeycloak } from '../src/from-keycloak.ts'
import { ask, choosePassword, type OldAndNew, openOldAndNew, secondFactor, signIn } from './open-moved.ts'

const password = 'otters read quietly'
const google = 'https://accounts.google.com'

const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** A credential with the members and the order of an export, of Node's own functions. */
const credentialOf = (hash: Uint8Array, salt: Uint8Array, credentialData: object): KeycloakCredential => ({
  type: 'password',
  secretData: JSON.stringify({ value: toBase64(hash), salt: toBase64(salt), additionalParameters: {} }),
  credentialData: JSON.stringify(credentialData),
})

/** As Keycloak hashes by default since release 25. */
function argon2Credential(message = password, version = '1.3'): KeycloakCredential {
  const nonce = randomBytes(16)
  const cost = { memory: 7168, passes: 5, parallelism: 1, tagLength: 32 }
  return credentialOf(argon2Sync('argon2id', { message, nonce, ...cost }), nonce, {
    hashIterations: 5,
    algorithm: 'argon2',
    additionalParameters: {
      ...{ hashLength: ['32'], memory: ['7168'], type: ['id'], version: [version], parallelism: ['1'] },
    },
  })
}

/** Keycloak pads a password with zero bytes up to 14 characters before it computes PBKDF2. */
function pbkdf2Credential(algorithm: string, digest: string, hashIterations: number, text = password) {
  const salt = randomBytes(16)
  const hash = pbkdf2Sync(text.padEnd(14, '\0'), salt, hashIterations, 64, digest)
  return credentialOf(hash, salt, { hashIterations, algorithm, additionalParameters: {} })
}

/** Keycloak draws 20 letters and digits and uses their bytes as the secret; the app gets these bytes in base32. */
const secret = 'abcdefghij0123456789'
const secretInBase32 = 'MFRGGZDFMZTWQ2LKGAYTEMZUGU3DOOBZ'

const otp = (change: object = {}, value = secret): KeycloakCredential => ({
  type: 'otp',
  secretData: JSON.stringify({ value }),
  credentialData: JSON.stringify({
    ...{ subType: 'totp', digits: 6, counter: 0, period: 30, algorithm: 'HmacSHA1' },
    ...change,
  }),
})

const ada = (credentials: readonly KeycloakCredential[], change: Partial<KeycloakUser> = {}): KeycloakUser => ({
  ...{ id: 'b3f1c2de-0000-4000-8000-000000000001', username: 'ada', email: 'ada@example.com', emailVerified: true },
  ...{ enabled: true, requiredActions: [], realmRoles: ['default-roles-shop'], credentials, ...change },
})

async function move(
  service: OldAndNew,
  users: readonly KeycloakUser[],
  unproven: 'active' | 'unverified' = 'unverified',
) {
  const totp = await service.openTotp()
  const links = await service.server.accounts()
  const { accounts } = service.server.stores
  const rolesOf = ({ realmRoles }: KeycloakUser) => [realmRoles?.includes('shop-admin') ? 'ADMIN' : 'MEMBER']
  // A file is JSON: what is not there is not `undefined`.
  const given = JSON.parse(JSON.stringify(users))
  return moveFromKeycloak({ users: given, accounts, totp, links, issuers: { google }, rolesOf, unproven })
}

test.each([
  ['argon2', argon2Credential],
  ['pbkdf2-sha512', () => pbkdf2Credential('pbkdf2-sha512', 'sha512', 210_000)],
  ['pbkdf2-sha256', () => pbkdf2Credential('pbkdf2-sha256', 'sha256', 27_500)],
  ['pbkdf2', () => pbkdf2Credential('pbkdf2', 'sha1', 20_000)],
])('a user with a hash of %s signs in with the old password, and the service renews the hash', async (_name, make) => {
  const service = await openOldAndNew()
  const user = ada([make()])
  expect(await move(service, [user])).toEqual({ moved: 1, withoutPassword: 0, left: [], unlinked: [] })
  expect((await signIn(service, 'ada@example.com', `${password}.`)).code).toBe('INVALID_CREDENTIALS')
  const before = await service.hashOf(user.id)
  expect((await signIn(service, 'ada@example.com', password)).result).toMatchObject({ account: { id: user.id } })
  await (await service.server.accounts()).settled()
  expect(await service.hashOf(user.id)).not.toBe(before)
  expect(await service.hashOf(user.id)).toMatch(/^\$argon2id\$/)
})

test('a password of fewer than 14 characters, which Keycloak pads before PBKDF2, signs its user in', async () => {
  const service = await openOldAndNew()
  await move(service, [ada([pbkdf2Credential('pbkdf2-sha256', 'sha256', 27_500, 'short one')])])
  expect((await signIn(service, 'ada@example.com', 'short one')).result).toMatchObject({ status: 'SIGNED_IN' })
})

test.each([
  ['alone', []],
  ['with recovery codes', [{ type: 'recovery-authn-codes', secretData: '{}', credentialData: '{}' }]],
  ['with a security key', [{ type: 'webauthn', secretData: '{}', credentialData: '{}' }]],
])('an authenticator app %s is required after the password, and its code signs in', async (_with, others) => {
  const service = await openOldAndNew()
  const user = ada([argon2Credential(), ...others, otp()])
  expect(await move(service, [user])).toMatchObject({ moved: 1, left: [] })
  const { result, cookie } = await signIn(service, 'ada@example.com', password)
  expect(result).toMatchObject({ status: 'SECOND_FACTOR_REQUIRED', account: null, factors: ['totp'] })
  expect(cookie).not.toContain('__Host-session')
  const input = { challenge: result?.challenge, code: codeAt(secretInBase32, Date.now()) }
  const { body } = await ask(service, secondFactor, { variables: { input } })
  expect(body.data?.verifySecondFactor).toMatchObject({ status: 'SIGNED_IN', account: { id: user.id } })
})

const broken = { type: 'password', secretData: '{"value":', credentialData: 'null' }

test.each<[string, KeycloakUser, string]>([
  ['an app of eight digits', ada([argon2Credential(), otp({ digits: 8 })]), 'second-factor'],
  ['an app of SHA-256', ada([argon2Credential(), otp({ algorithm: 'HmacSHA256' })]), 'second-factor'],
  ['an app that counts', ada([argon2Credential(), otp({ subType: 'hotp', period: 0 })]), 'second-factor'],
  ['a secret in base32', ada([argon2Credential(), otp({ secretEncoding: 'BASE32' })]), 'second-factor'],
  ['a secret that is too short', ada([argon2Credential(), otp({}, 'abcdefgh')]), 'second-factor'],
  ['an app without data', ada([argon2Credential(), { type: 'otp' }]), 'second-factor'],
  ['two apps', ada([argon2Credential(), otp(), otp()]), 'second-factor'],
  ['a security key only', ada([argon2Credential(), { type: 'webauthn' }]), 'second-factor'],
  ['recovery codes only', ada([argon2Credential(), { type: 'recovery-authn-codes' }]), 'second-factor'],
  ['an unknown algorithm', ada([{ ...argon2Credential(), credentialData: '{"algorithm":"own"}' }]), 'unknown-hash'],
  ['Argon2 of version 1.0', ada([argon2Credential(password, '1.0')]), 'unknown-hash'],
  ['a credential that is no JSON', ada([broken]), 'unknown-hash'],
  ['no address', ada([argon2Credential()], { email: 'ada' }), 'no-address'],
  ['the name of a client', { id: 'client', username: 'service-account-shop', enabled: true }, 'no-address'],
])('a user with %s is not moved but reported, and the password is refused', async (_what, user, why) => {
  const service = await openOldAndNew()
  const other = ada([argon2Credential()], { id: 'other', username: 'ben', email: 'ben@example.com' })
  expect(await move(service, [user, other])).toEqual({
    ...{ moved: 1, withoutPassword: 0, left: [{ id: user.id, why }], unlinked: [] },
  })
  expect((await signIn(service, 'ada@example.com', password)).code).toBe('INVALID_CREDENTIALS')
  expect((await signIn(service, 'ben@example.com', password)).result).toMatchObject({ status: 'SIGNED_IN' })
})

test('two users with one address: the first is moved, and the second is reported', async () => {
  const service = await openOldAndNew()
  const second = ada([argon2Credential('another password')], { id: 'second', email: 'ADA@example.com' })
  expect(await move(service, [ada([argon2Credential()]), second])).toMatchObject({
    ...{ moved: 1, left: [{ id: 'second', why: 'address-taken' }] },
  })
  expect((await signIn(service, 'ada@example.com', 'another password')).code).toBe('INVALID_CREDENTIALS')
})

test.each([
  ['an address that was never verified', { emailVerified: false }],
  ['a disabled user', { enabled: false }],
])('%s is moved and cannot sign in', async (_what, change) => {
  const service = await openOldAndNew()
  expect(await move(service, [ada([argon2Credential()], change)])).toMatchObject({ moved: 1 })
  expect((await signIn(service, 'ada@example.com', password)).code).toBe('INVALID_CREDENTIALS')
})

test('an address that was never verified signs in with "unproven: active"', async () => {
  const service = await openOldAndNew()
  await move(service, [ada([argon2Credential()], { emailVerified: false })], 'active')
  expect((await signIn(service, 'ada@example.com', password)).result).toMatchObject({ status: 'SIGNED_IN' })
})

test('a temporary password is not moved, and its user chooses a password by mail', async () => {
  const service = await openOldAndNew()
  const user = ada([argon2Credential()], { requiredActions: ['UPDATE_PASSWORD'] })
  expect(await move(service, [user])).toMatchObject({ moved: 1, withoutPassword: 1 })
  expect((await signIn(service, 'ada@example.com', password)).code).toBe('INVALID_CREDENTIALS')
  const chosen = await choosePassword(service, 'ada@example.com')
  expect((await signIn(service, 'ada@example.com', chosen)).result).toMatchObject({ account: { id: user.id } })
})

test('a user of Google signs in with Google, and links of unknown aliases are reported', async () => {
  const service = await openOldAndNew()
  const federatedIdentities = ['google', 'corp-saml', 'constructor'].map((identityProvider) => {
    return { identityProvider, userId: 'sub-1', userName: 'ada' }
  })
  const user = ada([], { federatedIdentities })
  const why = 'unknown-provider'
  expect(await move(service, [user])).toEqual({
    ...{ moved: 1, withoutPassword: 1, left: [] },
    unlinked: ['corp-saml', 'constructor'].map((provider) => ({ id: user.id, provider, why })),
  })
  const accounts = await service.server.accounts()
  expect(
    await accounts.signInWithProvider({
      ...{ issuer: google, subject: 'sub-1', email: null, emailVerified: false, amr: [] },
      ...{ sid: null, authenticatedAt: Date.now(), binding: null },
      ...{ delivery: 'session', attempt: unknownAttempt },
    }),
  ).toMatchObject({ ok: true, status: 'signed-in', account: { id: user.id } })
})

test('a link that another account has stays there, and is reported', async () => {
  const service = await openOldAndNew()
  const federatedIdentities = [{ identityProvider: 'google', userId: 'sub-1' }]
  const ben = { id: 'ben', username: 'ben', email: 'ben@example.com' }
  const users = [ada([], { federatedIdentities }), ada([], { ...ben, federatedIdentities })]
  expect(await move(service, users)).toMatchObject({
    ...{ moved: 2, unlinked: [{ id: 'ben', provider: 'google', why: 'provider-in-use' }] },
  })
  const accounts = await service.server.accounts()
  expect(await accounts.linkedProviders('ben')).toEqual([])
})

test('an account has the roles that "rolesOf" returns', async () => {
  const service = await openOldAndNew()
  await move(service, [ada([argon2Credential()], { realmRoles: ['shop-admin'] })])
  expect((await service.server.stores.accounts.getByEmail('ada@example.com'))?.roles).toEqual(['ADMIN'])
})
