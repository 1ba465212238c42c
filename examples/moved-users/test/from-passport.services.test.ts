import { pbkdf2Sync } from 'node:crypto'
import { verifyPassword } from '@latchkey/password'
import { expect, test } from 'vitest'
import { moveFromPassport } from '../src/from-passport.ts'
import { ask, openOldAndNew, signIn } from './open-moved.ts'
import { startPassportApp } from './passport-app.ts'

const passwordOf = (index: number) => `otters read quietly ${index}`
const addressOf = (index: number) => `user${index}@example.com`

test('users of Passport with hashes of bcrypt and PBKDF2 sign in with their old passwords, and the service renews each hash', async () => {
  const service = await openOldAndNew()
  const app = await startPassportApp(service.old)
  for (let index = 1; index <= 20; index++) {
    await app.addUser(addressOf(index), passwordOf(index), index % 4 === 0 ? 'pbkdf2' : 'bcrypt')
  }
  await service.openTotp()
  const { accounts } = service.server.stores
  expect(await moveFromPassport(service.old, accounts)).toEqual({ moved: 20, withoutPassword: 0, left: [] })
  expect(await service.hashOf('user_3')).toMatch(/^\$2b\$04\$/)
  expect(await service.hashOf('user_4')).toMatch(/^\$pbkdf2-sha256\$i=310000\$/)

  for (let index = 1; index <= 20; index++) {
    expect(await app.signIn(addressOf(index), passwordOf(index))).not.toBeNull()
    const { result } = await signIn(service, addressOf(index), passwordOf(index))
    expect(result).toMatchObject({ status: 'SIGNED_IN', account: { id: `user_${index}` } })
  }
  expect(await signIn(service, addressOf(1), passwordOf(2))).toMatchObject({ status: 401, code: 'INVALID_CREDENTIALS' })
  await (await service.server.accounts()).settled()
  for (let index = 1; index <= 20; index++) expect(await service.hashOf(`user_${index}`)).toMatch(/^\$argon2id\$/)
  expect(service.events.filter((type) => type === 'password.rehashed')).toHaveLength(20)
  expect((await signIn(service, addressOf(4), passwordOf(4))).result).toMatchObject({ status: 'SIGNED_IN' })
  // No user was asked for a password, and none got a mail.
  expect(service.outbox).toEqual([])
})

test('a session of Passport is refused after the move, and its user signs in once', async () => {
  const service = await openOldAndNew()
  const app = await startPassportApp(service.old)
  await app.addUser(addressOf(1), passwordOf(1))
  const oldCookie = await app.signIn(addressOf(1), passwordOf(1))
  expect(await app.whoIs(oldCookie ?? '')).toBe(addressOf(1))
  await service.openTotp()
  await moveFromPassport(service.old, service.server.stores.accounts)
  expect(await ask(service, '{ hello }', { cookie: oldCookie ?? '' })).toMatchObject({ status: 401 })
  const { cookie } = await signIn(service, addressOf(1), passwordOf(1))
  expect((await ask(service, '{ hello }', { cookie })).body.data).toEqual({ hello: 'You are still you.' })
})

test('the old table is unchanged after the move, and the old application still signs its users in', async () => {
  const service = await openOldAndNew()
  const app = await startPassportApp(service.old)
  await app.addUser(addressOf(1), passwordOf(1))
  const before = service.old.prepare('select * from users').all()
  await service.openTotp()
  await moveFromPassport(service.old, service.server.stores.accounts)
  await signIn(service, addressOf(1), passwordOf(1))
  await (await service.server.accounts()).settled()
  expect(service.old.prepare('select * from users').all()).toEqual(before)
  expect(await app.signIn(addressOf(1), passwordOf(1))).not.toBeNull()
})

test('a user without an address, with a taken address or an unknown hash is reported, and a second run moves a corrected user', async () => {
  const service = await openOldAndNew()
  const app = await startPassportApp(service.old)
  for (const username of ['Ada@Example.com', 'ada@example.COM', 'ben']) await app.addUser(username, passwordOf(1))
  const sql = 'insert into users (username, name, hashed_password) values (?, ?, ?)'
  service.old.prepare(sql).run('md5@example.com', 'M', '5f4dcc3b5aa765d61d8327deb882cf99')
  service.old.prepare(sql).run('none@example.com', 'N', null)
  await service.openTotp()
  const { accounts } = service.server.stores
  const left = [
    { id: 'user_2', why: 'address-taken' },
    { id: 'user_3', why: 'no-address' },
    { id: 'user_4', why: 'unknown-hash' },
  ]
  expect(await moveFromPassport(service.old, accounts)).toEqual({ moved: 2, withoutPassword: 1, left })
  service.old.exec("update users set username = 'ben@example.com' where id = 3")
  expect(await moveFromPassport(service.old, accounts)).toEqual({
    moved: 1,
    withoutPassword: 0,
    left: left.filter(({ id }) => id !== 'user_3'),
  })
  expect((await signIn(service, 'ben@example.com', passwordOf(1))).result).toMatchObject({ account: { id: 'user_3' } })
})

test('an interrupted move refuses the password, and a second run stores the password of that day', async () => {
  const service = await openOldAndNew()
  const app = await startPassportApp(service.old)
  await app.addUser(addressOf(1), passwordOf(1))
  await service.openTotp()
  const { accounts } = service.server.stores
  const stops = { ...accounts, replace: () => Promise.reject(new Error('the process ended here')) }
  await expect(moveFromPassport(service.old, stops)).rejects.toThrow('the process ended here')
  expect((await signIn(service, addressOf(1), passwordOf(1))).code).toBe('INVALID_CREDENTIALS')
  service.old.exec('delete from users')
  await app.addUser(addressOf(1), passwordOf(2))
  expect(await moveFromPassport(service.old, accounts)).toMatchObject({ moved: 1 })
  expect((await signIn(service, addressOf(1), passwordOf(1))).code).toBe('INVALID_CREDENTIALS')
  expect((await signIn(service, addressOf(1), passwordOf(2))).result).toMatchObject({ status: 'SIGNED_IN' })
})

test('an account that was disabled after the move stays disabled after a second run', async () => {
  const service = await openOldAndNew()
  const app = await startPassportApp(service.old)
  await app.addUser(addressOf(1), passwordOf(1))
  await service.openTotp()
  const { accounts } = service.server.stores
  await moveFromPassport(service.old, accounts)
  await accounts.replace('user_1', { epoch: 1 }, { status: 'disabled', epoch: 2 })
  expect(await moveFromPassport(service.old, accounts)).toEqual({ moved: 0, withoutPassword: 0, left: [] })
  expect((await signIn(service, addressOf(1), passwordOf(1))).code).toBe('INVALID_CREDENTIALS')
})

test('the first 32 of the 512 bytes of passport-local-mongoose are a hash that verifies', async () => {
  const salt = 'c1'.repeat(32)
  const hash = pbkdf2Sync('otters read quietly', salt, 25_000, 512, 'sha256').subarray(0, 32)
  const [saltText, hashText] = [Buffer.from(salt), hash].map((bytes) => bytes.toString('base64').replace(/=+$/, ''))
  const stored = `$pbkdf2-sha256$i=25000$${saltText}$${hashText}`
  expect(await verifyPassword('otters read quietly', stored)).toEqual({ ok: true, needsRehash: true })
  expect(await verifyPassword('otters read loudly', stored)).toEqual({ ok: false, needsRehash: false })
})
