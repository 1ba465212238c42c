import { argon2Sync, createCipheriv, randomBytes, scryptSync } from 'node:crypto'
import { unknownAttempt } from '@latchkey/accounts'
import { codeAt, useService } from '@latchkey/test-services'
import bcrypt from 'bcryptjs'
import { expect, test } from 'vitest'
import { moveFromSuperTokens, type SuperTokensMove, type SuperTokensUser } from '../src/from-supertokens.ts'
import { ask, choosePassword, type OldAndNew, openOldAndNew, secondFactor, signIn } from './open-moved.ts'
import { createSuperTokensDatabase, type SuperTokensDatabase } from './supertokens-database.ts'

const postgres = useService('postgres')
const password = 'otters read quietly'
const email = 'ada@example.com'
const google = 'https://accounts.google.com'
const signerKey = randomBytes(64).toString('base64')

/** SuperTokens writes bcrypt as `$2a$`. */
const bcryptHash = () => bcrypt.hashSync(password, 4).replace('$2b$', '$2a$')

/** With the defaults of SuperTokens. */
function argon2Hash(): string {
  const nonce = randomBytes(16)
  const cost = { memory: 87_795, passes: 1, parallelism: 2, tagLength: 32 }
  const hash = argon2Sync('argon2id', { message: password, nonce, ...cost })
  const [saltText, hashText] = [nonce, hash].map((bytes) => bytes.toString('base64').replace(/=+$/, ''))
  return `$argon2id$v=19$m=87795,t=1,p=2$${saltText}$${hashText}`
}

function firebaseHash(): string {
  const [salt, separator] = [randomBytes(10), Buffer.from('Bw==', 'base64')]
  const cost = { N: 2 ** 14, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
  const key = scryptSync(password, Buffer.concat([salt, separator]), 64, cost).subarray(0, 32)
  const hash = createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.from(signerKey, 'base64'))
  return `$f_scrypt$${hash.toString('base64')}$${salt.toString('base64')}$m=14$r=8$s=Bw==`
}

const move = async (
  service: OldAndNew,
  users: readonly SuperTokensUser[],
  options: Partial<SuperTokensMove> = { firebaseSignerKey: signerKey },
) =>
  moveFromSuperTokens({
    ...{ users, accounts: service.server.stores.accounts, totp: await service.openTotp() },
    ...{ links: await service.server.accounts(), issuers: { google }, unproven: 'unverified' },
    rolesOf: ({ roles }) => [roles.includes('admin') ? 'ADMIN' : 'MEMBER'],
    ...options,
  })

const addDevice = (old: SuperTokensDatabase, user_id: string, change: object = {}) =>
  old.add('totp_user_devices', {
    ...{ user_id, device_name: 'TOTP Device 0', secret_key: secret, period: 30, skew: 1, verified: true, ...change },
  })

/** 20 bytes in base32, as SuperTokens stores them. */
const secret = 'MFRGGZDFMZTWQ2LKGAYTEMZUGU3DOOBZ'

test.each([
  ['bcrypt', bcryptHash],
  ['argon2id', argon2Hash],
  ['scrypt of Firebase', firebaseHash],
])('a user with a hash of %s signs in with the old password, and the service renews the hash', async (_name, make) => {
  const [service, old] = [await openOldAndNew(), await createSuperTokensDatabase(postgres)]
  const id = await old.addUser('emailpassword', { email, password_hash: make() })
  expect(await move(service, await old.dump())).toEqual({ moved: 1, withoutPassword: 0, left: [], unlinked: [] })
  expect((await signIn(service, email, `${password}.`)).code).toBe('INVALID_CREDENTIALS')
  expect((await signIn(service, email, password)).result).toMatchObject({ account: { id } })
  await (await service.server.accounts()).settled()
  expect(await service.hashOf(id)).toMatch(/^\$argon2id\$v=19\$m=8,/)
})

test('an account has the external id of its user, and the verified address, roles and app of that id', async () => {
  const [service, old] = [await openOldAndNew(), await createSuperTokensDatabase(postgres)]
  const supertokens_user_id = await old.addUser(
    'emailpassword',
    { email, password_hash: bcryptHash() },
    { verified: false },
  )
  await old.add('userid_mapping', { supertokens_user_id, external_user_id: 'user-1' })
  await old.add('emailverification_verified_emails', { user_id: 'user-1', email })
  await old.add('user_roles', { user_id: 'user-1', role: 'admin' })
  await addDevice(old, 'user-1')
  await old.add('user_metadata', { user_id: 'user-1', user_metadata: metadata(['totp', 'otp-email']) })
  await addDevice(old, 'user-1', { device_name: 'not confirmed', verified: false })
  expect(await move(service, await old.dump())).toMatchObject({ moved: 1, left: [] })
  expect((await service.server.stores.accounts.get('user-1'))?.roles).toEqual(['ADMIN'])
  const { result, cookie } = await signIn(service, email, password)
  expect(result).toMatchObject({ status: 'SECOND_FACTOR_REQUIRED', account: null, factors: ['totp'] })
  expect(cookie).not.toContain('__Host-session')
  const input = { challenge: result?.challenge, code: codeAt(secret, Date.now()) }
  const { body } = await ask(service, secondFactor, { variables: { input } })
  expect(body.data?.verifySecondFactor).toMatchObject({ status: 'SIGNED_IN', account: { id: 'user-1' } })
})

test('linked users become one account, which signs in with the password and with Google', async () => {
  const [service, old] = [await openOldAndNew(), await createSuperTokensDatabase(postgres)]
  const id = await old.addUser('emailpassword', { email, password_hash: bcryptHash() })
  const provider = { email, third_party_id: 'google', third_party_user_id: 'sub-1' }
  await old.addUser('thirdparty', provider, { primary: id })
  await old.addUser('thirdparty', { ...provider, third_party_id: 'discord' }, { primary: id })
  expect(await move(service, await old.dump())).toEqual({
    ...{ moved: 1, withoutPassword: 0, left: [] },
    unlinked: [{ id, provider: 'discord', why: 'unknown-provider' }],
  })
  expect((await signIn(service, email, password)).result).toMatchObject({ account: { id } })
  const accounts = await service.server.accounts()
  expect(
    await accounts.signInWithProvider({
      ...{ issuer: google, subject: 'sub-1', email: null, emailVerified: false, amr: [] },
      ...{ sid: null, authenticatedAt: Date.now(), binding: null },
      ...{ delivery: 'session', attempt: unknownAttempt },
    }),
  ).toMatchObject({ ok: true, status: 'signed-in', account: { id } })
})

test('a user of passwordless with an address has an account without a password, and chooses a password by mail', async () => {
  const [service, old] = [await openOldAndNew(), await createSuperTokensDatabase(postgres)]
  const id = await old.addUser('passwordless', { email }, { verified: false })
  expect(await move(service, await old.dump())).toMatchObject({ moved: 1, withoutPassword: 1 })
  expect((await service.server.stores.accounts.get(id))?.status).toBe('active')
  expect((await signIn(service, email, await choosePassword(service, email))).result).toMatchObject({ account: { id } })
})

test.each([
  ['unverified', 'INVALID_CREDENTIALS'],
  ['active', undefined],
] as const)('an address that was never verified is %s if the move sets this status', async (unproven, code) => {
  const [service, old] = [await openOldAndNew(), await createSuperTokensDatabase(postgres)]
  await old.addUser('emailpassword', { email, password_hash: bcryptHash() }, { verified: false })
  await old.add('emailverification_verified_emails', { user_id: 'another user', email })
  expect(await move(service, await old.dump(), { unproven })).toMatchObject({ moved: 1 })
  expect((await signIn(service, email, password)).code).toBe(code)
})

const metadata = (requiredSecondaryFactors: readonly string[]) =>
  JSON.stringify({ first_name: 'Ada', _supertokens: { requiredSecondaryFactors } })

type Add = (old: SuperTokensDatabase, user_id: string) => Promise<unknown>

test.each<[string, string, Add]>([
  [
    'two apps',
    'second-factor',
    async (old, id) => {
      await addDevice(old, id)
      await addDevice(old, id, { device_name: 'TOTP Device 1' })
    },
  ],
  ['an app of 60 seconds', 'second-factor', (old, id) => addDevice(old, id, { period: 60 })],
  [
    'a secret that is no base32',
    'second-factor',
    (old, id) => addDevice(old, id, { secret_key: 'no base32, but a text of 34 letters' }),
  ],
  ['a secret that is too short', 'second-factor', (old, id) => addDevice(old, id, { secret_key: 'MFRGGZDF' })],
  [
    'codes by mail as second factor',
    'second-factor',
    (old, user_id) => {
      return old.add('user_metadata', { user_id, user_metadata: metadata(['otp-email']) })
    },
  ],
  [
    'a required app that is not confirmed',
    'second-factor',
    async (old, user_id) => {
      await addDevice(old, user_id, { verified: false })
      await old.add('user_metadata', { user_id, user_metadata: metadata(['totp']) })
    },
  ],
  [
    'a second password',
    'several-passwords',
    async (old, primary) => {
      await old.addUser('emailpassword', { email: 'ada@other.example', password_hash: bcryptHash() }, { primary })
    },
  ],
])('a user with %s is not moved but reported, and the password is refused', async (_what, why, change) => {
  const [service, old] = [await openOldAndNew(), await createSuperTokensDatabase(postgres)]
  const id = await old.addUser('emailpassword', { email, password_hash: bcryptHash() })
  await old.addUser('emailpassword', { email: 'ben@example.com', password_hash: bcryptHash() })
  await change(old, id)
  expect(await move(service, await old.dump())).toEqual({
    ...{ moved: 1, withoutPassword: 0, left: [{ id, why }], unlinked: [] },
  })
  expect((await signIn(service, email, password)).code).toBe('INVALID_CREDENTIALS')
  expect((await signIn(service, 'ben@example.com', password)).result).toMatchObject({ status: 'SIGNED_IN' })
})

test.each<[string, string, string, Readonly<Record<string, string>>]>([
  ['a phone number only', 'no-address', 'passwordless', { phone_number: '+12025550142' }],
  [
    'a hash of Argon2d',
    'unknown-hash',
    'emailpassword',
    { email, password_hash: '$argon2d$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA' },
  ],
  ['a hash of Firebase without its key', 'unknown-hash', 'emailpassword', { email, password_hash: firebaseHash() }],
])('a user with %s is not moved but reported', async (_what, why, recipe, row) => {
  const [service, old] = [await openOldAndNew(), await createSuperTokensDatabase(postgres)]
  const id = await old.addUser(recipe as 'passwordless', row)
  expect(await move(service, await old.dump(), {})).toMatchObject({ moved: 0, left: [{ id, why }] })
})

test('a user without a recipe that the move reads is reported, and users of other apps are not read', async () => {
  const [service, old] = [await openOldAndNew(), await createSuperTokensDatabase(postgres)]
  const passkeys = { user_id: 'a'.repeat(36), primary_or_recipe_user_id: 'a'.repeat(36), recipe_id: 'webauthn' }
  await old.add('app_id_to_user_id', passkeys)
  await old.add('app_id_to_user_id', {
    ...passkeys,
    user_id: 'b'.repeat(36),
    primary_or_recipe_user_id: 'b'.repeat(36),
    app_id: 'another',
  })
  expect(await move(service, await old.dump())).toEqual({
    ...{ moved: 0, withoutPassword: 0, left: [{ id: passkeys.user_id, why: 'no-address' }], unlinked: [] },
  })
})

test('one address in two tenants: the second user is reported', async () => {
  const [service, old] = [await openOldAndNew(), await createSuperTokensDatabase(postgres)]
  const ids = [0, 1].map(() => old.addUser('emailpassword', { email, password_hash: bcryptHash() }))
  const [, second] = (await Promise.all(ids)).sort()
  expect(await move(service, await old.dump())).toMatchObject({
    moved: 1,
    left: [{ id: second, why: 'address-taken' }],
  })
})
