import { unknownAttempt } from '@latchkey/accounts'
import { codeAt } from '@latchkey/test-services'
import { expect, test } from 'vitest'
import { moveFromBetterAuth } from '../src/from-better-auth.ts'
import type { MovedWithLinks } from '../src/provider-links.ts'
import { betterAuthSecret, openBetterAuthApp } from './better-auth-app.ts'
import { ask, choosePassword, type OldAndNew, openOldAndNew, secondFactor, signIn } from './open-moved.ts'

const passwordOf = (index: number) => `otters read quietly ${index}`
const addressOf = (index: number) => `user${index}@example.com`

const google = 'https://accounts.google.com'
const issuers = { google }

async function move(service: OldAndNew, unproven: 'active' | 'unverified' = 'unverified'): Promise<MovedWithLinks> {
  const totp = await service.openTotp()
  const { accounts } = service.server.stores
  const links = await service.server.accounts()
  const given = { database: service.old, accounts, totp, links, issuers, unproven }
  return moveFromBetterAuth({ ...given, secret: betterAuthSecret })
}

test('users of better-auth sign in with their old passwords and ids, and the service renews each hash', async () => {
  const service = await openOldAndNew()
  const app = await openBetterAuthApp(service.old)
  const ids: string[] = []
  for (let index = 0; index < 10; index++) ids.push((await app.addUser(addressOf(index), passwordOf(index))).id)
  expect(await move(service)).toEqual({ moved: 10, withoutPassword: 0, left: [], unlinked: [] })
  expect(await service.hashOf(ids[0] ?? '')).toMatch(/^[\da-f]{32}:[\da-f]{128}$/)
  for (const [index, id] of ids.entries()) {
    const { result } = await signIn(service, addressOf(index), passwordOf(index))
    expect(result).toMatchObject({ status: 'SIGNED_IN', account: { id } })
  }
  expect((await signIn(service, addressOf(1), passwordOf(2))).code).toBe('INVALID_CREDENTIALS')
  await (await service.server.accounts()).settled()
  for (const id of ids) expect(await service.hashOf(id)).toMatch(/^\$argon2id\$/)
  expect((await signIn(service, addressOf(4), passwordOf(4))).result).toMatchObject({ status: 'SIGNED_IN' })
  // No user was asked for a password, and none got a mail.
  expect(service.outbox).toEqual([])
})

test('an authenticator app of better-auth is required after the password, and its code signs in', async () => {
  const service = await openOldAndNew()
  const app = await openBetterAuthApp(service.old)
  const { id, cookie } = await app.addUser(addressOf(1), passwordOf(1))
  const secret = await app.enrol(cookie, passwordOf(1))
  expect(await move(service)).toEqual({ moved: 1, withoutPassword: 0, left: [], unlinked: [] })

  const { result, cookie: none } = await signIn(service, addressOf(1), passwordOf(1))
  expect(result).toMatchObject({ status: 'SECOND_FACTOR_REQUIRED', account: null, factors: ['totp'] })
  expect(none).not.toContain('__Host-session')
  const input = { challenge: result?.challenge, code: codeAt(secret, Date.now()) }
  const { body } = await ask(service, secondFactor, { variables: { input } })
  expect(body.data?.verifySecondFactor).toMatchObject({ status: 'SIGNED_IN', account: { id } })
})

test('a user with a second factor that cannot be moved is reported, and the password is refused', async () => {
  const service = await openOldAndNew()
  const app = await openBetterAuthApp(service.old)
  const { id } = await app.addUser(addressOf(1), passwordOf(1))
  // Codes by mail: a factor of better-auth without a secret.
  service.old.exec('update user set twoFactorEnabled = 1')
  const left = [{ id, why: 'second-factor' }]
  expect(await move(service)).toEqual({ moved: 0, withoutPassword: 0, left, unlinked: [] })
  expect((await signIn(service, addressOf(1), passwordOf(1))).code).toBe('INVALID_CREDENTIALS')
  service.old.exec('update user set twoFactorEnabled = 0')
  expect(await move(service)).toEqual({ moved: 1, withoutPassword: 0, left: [], unlinked: [] })
  expect((await signIn(service, addressOf(1), passwordOf(1))).result).toMatchObject({ status: 'SIGNED_IN' })
})

test('a wrong BETTER_AUTH_SECRET moves no app, and a second run with the right secret moves it', async () => {
  const service = await openOldAndNew()
  const app = await openBetterAuthApp(service.old)
  const { cookie } = await app.addUser(addressOf(1), passwordOf(1))
  await app.enrol(cookie, passwordOf(1))
  const totp = await service.openTotp()
  const { accounts } = service.server.stores
  const links = await service.server.accounts()
  const given = { database: service.old, accounts, totp, links, issuers, unproven: 'unverified' } as const
  await expect(moveFromBetterAuth({ ...given, secret: 'another one' })).rejects.toThrow()
  expect((await signIn(service, addressOf(1), passwordOf(1))).code).toBe('INVALID_CREDENTIALS')
  expect(await move(service)).toMatchObject({ moved: 1 })
  expect((await signIn(service, addressOf(1), passwordOf(1))).result?.status).toBe('SECOND_FACTOR_REQUIRED')
})

test('an app that its owner has removed stays removed after a second run', async () => {
  const service = await openOldAndNew()
  const app = await openBetterAuthApp(service.old)
  const { id, cookie } = await app.addUser(addressOf(1), passwordOf(1))
  await app.enrol(cookie, passwordOf(1))
  await move(service)
  const totp = await service.openTotp()
  await totp.remove(id)
  expect(await move(service)).toEqual({ moved: 0, withoutPassword: 0, left: [], unlinked: [] })
  expect(await totp.find(id)).toBeNull()
})

test('a user without a password has an account without a password, and chooses a password by mail', async () => {
  const service = await openOldAndNew()
  const app = await openBetterAuthApp(service.old)
  const id = await app.addGoogleUser('ada@example.com')
  expect(await move(service)).toEqual({ moved: 1, withoutPassword: 1, left: [], unlinked: [] })
  const newPassword = await choosePassword(service, 'ada@example.com')
  expect((await signIn(service, 'ada@example.com', newPassword)).result).toMatchObject({ account: { id } })
})

test('a user of Google signs in with Google under the old id, and the same subject of another issuer is refused', async () => {
  const service = await openOldAndNew()
  const app = await openBetterAuthApp(service.old)
  const id = await app.addGoogleUser('ada@example.com')
  await move(service)
  const accounts = await service.server.accounts()
  const signInWith = (issuer: string) =>
    accounts.signInWithProvider({
      ...{ issuer, subject: 'sub of ada@example.com', email: null, emailVerified: false, amr: [] },
      ...{ sid: null, authenticatedAt: Date.now(), binding: null },
      delivery: 'session',
      attempt: unknownAttempt,
    })
  expect(await signInWith(google)).toMatchObject({ ok: true, status: 'signed-in', account: { id } })
  expect(await signInWith('https://other.example')).toMatchObject({ ok: false, reason: 'invalid-credentials' })
  expect(await accounts.linkedProviders(id)).toHaveLength(1)
})

test.each([
  ['unverified', 'INVALID_CREDENTIALS'],
  ['active', undefined],
] as const)('an address that was never verified is %s if the move sets this status', async (unproven, code) => {
  const service = await openOldAndNew()
  const app = await openBetterAuthApp(service.old)
  await app.addUser(addressOf(1), passwordOf(1), { verified: false })
  expect(await move(service, unproven)).toMatchObject({ moved: 1 })
  expect((await signIn(service, addressOf(1), passwordOf(1))).code).toBe(code)
})

test('a session of better-auth is refused after the move, and the old application still accepts it', async () => {
  const service = await openOldAndNew()
  const app = await openBetterAuthApp(service.old)
  const { id, cookie: oldCookie } = await app.addUser(addressOf(1), passwordOf(1))
  const before = service.old.prepare('select * from user join account on userId = user.id').all()
  await move(service)
  expect(await ask(service, '{ hello }', { cookie: oldCookie })).toMatchObject({ status: 401 })
  const { cookie } = await signIn(service, addressOf(1), passwordOf(1))
  expect((await ask(service, '{ hello }', { cookie })).body.data).toEqual({ hello: 'You are still you.' })
  expect(service.old.prepare('select * from user join account on userId = user.id').all()).toEqual(before)
  expect(await app.whoIs(oldCookie)).toBe(id)
})

test('a user with an unverified address proves it by mail, and the old password is refused', async () => {
  const service = await openOldAndNew()
  const app = await openBetterAuthApp(service.old)
  const { id } = await app.addUser(addressOf(1), passwordOf(1), { verified: false })
  await move(service)
  const newPassword = await choosePassword(service, addressOf(1))
  expect((await signIn(service, addressOf(1), passwordOf(1))).code).toBe('INVALID_CREDENTIALS')
  expect((await signIn(service, addressOf(1), newPassword)).result).toMatchObject({ account: { id } })
})
