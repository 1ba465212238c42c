import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { type Message, unknownAttempt } from '@latchkey/accounts'
import { allowWeakHashes, createPasswordHasher } from '@latchkey/password'
import { expect, onTestFinished, test, vi } from 'vitest'
import { moveUsers } from '../src/move-users.ts'
import { createService } from '../src/service.ts'
import { openDatabase, usersTable } from '../src/users-table.ts'

const isLong = process.env.TEST_TIER === '3'
// Ten thousand sign-ins are as many waits for a disk that others use too.
vi.setConfig({ testTimeout: isLong ? 1_800_000 : 240_000 })
const many = isLong ? 10_000 : 200

// The weakest there are: what is counted here is who gets in, and not how long a hash takes. With those of an application,
// bcrypt of cost 12 and the default of Argon2id, ten thousand users would take two processors an hour.
const oldHasher = createPasswordHasher({ bcrypt: { cost: 4 }, strength: allowWeakHashes })
const passwords = createPasswordHasher({ argon2id: { memoryKib: 8, iterations: 1 }, strength: allowWeakHashes })

const passwordOf = (index: number) => `otters read quietly ${index % 20}`
const hashes = await Promise.all(Array.from({ length: 20 }, (_, index) => oldHasher.hash(passwordOf(index))))

async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-moved-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'app.db')
}

/** The table of an application, with another one that points to its ids. */
function createTable(path: string): DatabaseSync {
  const database = openDatabase(path)
  database.exec(`${usersTable}; create table notes (author integer references users (id), text text not null)`)
  return database
}

function addUser(database: DatabaseSync, mail: string, pw: string | null, { admin = 0, active = 1 } = {}): number {
  const sql = 'insert into users (mail, full_name, pw, is_admin, is_active) values (?, ?, ?, ?, ?)'
  return Number(database.prepare(sql).run(mail, 'A Member', pw, admin, active).lastInsertRowid)
}

const openService = (path: string) => {
  const outbox: Message[] = []
  const events: string[] = []
  const server = createService(path, {
    secrets: { load: async () => [{ id: 'a', bytes: new Uint8Array(32).fill(7) }] },
    mails: { mailer: { send: async (message) => void outbox.push(message) }, maxDelayMs: 0 },
    signIn: { passwordHasher: passwords },
    observe: { onEvent: ({ type }) => void events.push(type) },
  })
  return { server, outbox, events }
}

const signIn = { delivery: 'session', attempt: unknownAttempt } as const
/** Each at home: of one address only so many attempts are let through. */
const from = (index: number) => ({
  ...signIn,
  attempt: { ...unknownAttempt, address: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` },
})

test(`${many} users are moved over and sign in as before, each hash is renewed by use, and wrong passwords are refused`, async () => {
  const path = await openFolder()
  const database = createTable(path)
  database.exec('begin')
  for (let index = 0; index < many; index++) {
    const id = addUser(database, `User${index}@Example.com`, hashes[index % 20]!)
    database.prepare('insert into notes values (?, ?)').run(id, `of ${index}`)
  }
  // What a program cannot decide is beside them, and who was blocked.
  addUser(database, 'user0@example.com', hashes[0]!)
  addUser(database, 'nobody', hashes[0]!)
  addUser(database, 'old@example.com', '5f4dcc3b5aa765d61d8327deb882cf99')
  const blocked = 10
  for (let index = 0; index < blocked; index++)
    addUser(database, `blocked${index}@example.com`, hashes[index]!, { active: 0 })
  database.exec('commit')
  const begun = performance.now()
  const { moved, left } = moveUsers(database)
  const movedMs = performance.now() - begun
  expect([moved, left.map(({ why }) => why)]).toEqual([many + blocked, ['address-taken', 'no-address', 'unknown-hash']])

  const { server, outbox, events } = openService(path)
  await server.open({ migrate: true })
  const accounts = await server.accounts()
  const counted = { signedIn: 0, refused: 0, again: 0 }
  const signInNth = async (index: number): Promise<void> => {
    const email = `user${index}@example.com`
    const wrong = await accounts.signIn({ ...from(index), email, password: passwordOf(index + 1) })
    if (!wrong.ok && wrong.reason === 'invalid-credentials') counted.refused += 1
    const result = await accounts.signIn({ ...from(index), email, password: passwordOf(index) })
    expect(result).toMatchObject({ ok: true, account: { id: `user_${index + 1}`, roles: ['MEMBER'] } })
    counted.signedIn += 1
  }
  /** By the hash that is theirs now. */
  const signInAgain = async (index: number): Promise<void> => {
    const email = `user${index}@example.com`
    if ((await accounts.signIn({ ...from(index), email, password: passwordOf(index) })).ok) counted.again += 1
    if (!(await accounts.signIn({ ...from(index), email, password: passwordOf(index + 1) })).ok) counted.refused += 1
  }
  for (const signInOne of [signInNth, signInAgain]) {
    for (let first = 0; first < many; first += 25) {
      await Promise.all(Array.from({ length: 25 }, (_, nth) => signInOne(first + nth)))
      await accounts.settled()
    }
  }
  for (let index = 0; index < blocked; index++) {
    const email = `blocked${index}@example.com`
    if (!(await accounts.signIn({ ...from(index), email, password: passwordOf(index) })).ok) counted.refused += 1
  }
  expect(counted).toEqual({ signedIn: many, again: many, refused: 2 * many + blocked })
  const count = (where: string) => database.prepare(`select count(*) as n from users where ${where}`).get()?.n
  expect(count("pw like '$argon2id$%'")).toBe(many)
  // Of those who were not moved, or are blocked, nothing has changed.
  expect(count("pw like '$2%'")).toBe(2 + blocked)
  expect(events.filter((type) => type === 'password.rehashed')).toHaveLength(many)
  const failed = events.filter((type) => /failed/.test(type))
  expect([new Set(failed), failed.length]).toEqual([new Set(['sign-in.failed']), counted.refused])
  // No user was asked for a password, and none got a mail.
  expect(outbox).toEqual([])
  // What pointed to the users still does.
  expect(database.prepare('select count(*) as n from notes join users on users.id = notes.author').get()?.n).toBe(many)
  process.stdout.write(
    `  ${moved} users moved in ${movedMs.toFixed(0)} ms and ${left.length} left, ${counted.signedIn} of ${many} signed in, ` +
      `${many} hashes renewed, ${counted.again} signed in by them, ${counted.refused} wrong or blocked attempts refused\n`,
  )
  await server.close()
  database.close()
})

test('a row with a taken address, no address or an unknown hash is reported and not changed', async () => {
  const path = await openFolder()
  const database = createTable(path)
  const [pw] = hashes
  const first = addUser(database, ' Ada@Example.com', pw!)
  const twin = addUser(database, 'ada@example.COM', pw!)
  const none = addUser(database, 'nobody', pw!)
  const weak = addUser(database, 'old@example.com', '5f4dcc3b5aa765d61d8327deb882cf99')
  const before = database.prepare('select id, mail, pw from users where id > 1').all()
  const left = [
    { id: twin, why: 'address-taken' },
    { id: none, why: 'no-address' },
    { id: weak, why: 'unknown-hash' },
  ]
  expect(moveUsers(database)).toEqual({ moved: 1, left })
  expect(database.prepare('select id, mail, pw from users where id > 1').all()).toEqual(before)

  // Once that is decided, it is run again.
  database.prepare("update users set mail = 'ada.two@example.com' where id = ?").run(twin)
  database.prepare('update users set pw = null where id = ?').run(weak)
  expect(moveUsers(database)).toEqual({ moved: 2, left: [{ id: none, why: 'no-address' }] })
  const { server } = openService(path)
  await server.open({ migrate: true })
  const accounts = await server.accounts()
  expect(await accounts.findByEmail('ADA@example.com')).toMatchObject({ id: `user_${first}` })
  expect(await accounts.findByEmail('ada.two@example.com')).toMatchObject({ id: `user_${twin}` })
  expect(await accounts.findByEmail('nobody')).toBeNull()
  await server.close()
  database.close()
})

test('a blocked user cannot sign in, an administrator has the role, and a user without a password can set one', async () => {
  const path = await openFolder()
  const database = createTable(path)
  addUser(database, 'boss@example.com', hashes[0]!, { admin: 1 })
  addUser(database, 'blocked@example.com', hashes[1]!, { active: 0 })
  addUser(database, 'empty@example.com', null)
  moveUsers(database)
  const { server, outbox } = openService(path)
  await server.open({ migrate: true })
  const accounts = await server.accounts()
  const signInAs = (email: string, index: number) => accounts.signIn({ ...signIn, email, password: passwordOf(index) })
  expect(await signInAs('boss@example.com', 0)).toMatchObject({ ok: true, account: { roles: ['ADMIN'] } })
  expect(await signInAs('blocked@example.com', 1)).toMatchObject({ ok: false, reason: 'invalid-credentials' })
  expect(await signInAs('empty@example.com', 1)).toMatchObject({ ok: false, reason: 'invalid-credentials' })
  await accounts.requestPasswordReset({ email: 'empty@example.com', attempt: unknownAttempt })
  await accounts.settled()
  const token = new URL(outbox[0]?.url ?? '').searchParams.get('token') ?? ''
  const newPassword = 'seven kettles hum along'
  expect(await accounts.resetPassword({ token, newPassword, attempt: unknownAttempt })).toMatchObject({ ok: true })
  expect(await accounts.signIn({ ...signIn, email: 'empty@example.com', password: newPassword })).toMatchObject({
    ok: true,
  })
  await server.close()
  database.close()
})

test('a new account is a row of the same table, and an address of the table cannot sign up again', async () => {
  const path = await openFolder()
  const database = createTable(path)
  addUser(database, 'ada@example.com', hashes[0]!)
  moveUsers(database)
  const { server, outbox } = openService(path)
  await server.open({ migrate: true })
  const accounts = await server.accounts()
  for (const email of ['ada@example.com', 'new@example.com']) {
    const person = { email, name: 'N', password: 'seven kettles hum along' }
    await accounts.signUp({ ...person, attempt: unknownAttempt })
  }
  await accounts.settled()
  expect(outbox.map(({ kind, to }) => [kind, to]).toSorted()).toEqual([
    ['account-exists', 'ada@example.com'],
    ['verify-address', 'new@example.com'],
  ])
  const link = outbox.find(({ kind }) => kind === 'verify-address')?.url ?? ''
  const token = new URL(link).searchParams.get('token') ?? ''
  const verified = await accounts.verifyEmail({ token, password: 'seven kettles hum along', attempt: unknownAttempt })
  expect(verified).toMatchObject({ ok: true, hasPassword: true })
  expect(database.prepare('select id, mail, account_id like ? as own from users where id > 1').all('acc_%')).toEqual([
    { id: 2, mail: 'new@example.com', own: 1 },
  ])
  await server.close()
  database.close()
})
