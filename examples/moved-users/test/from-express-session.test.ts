import { scryptSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { createSessionCookie } from '@latchkey/http'
import { verifyPassword } from '@latchkey/password'
import { createSessions } from '@latchkey/sessions'
import { createMemoryRecordStore } from '@latchkey/store'
import express from 'express'
import session from 'express-session'
import { expect, onTestFinished, test } from 'vitest'
import { takeOverSessions, writeScrypt } from '../src/from-express-session.ts'

/** The table of connect-pg-simple 10, in SQLite. */
class TableStore extends session.Store {
  readonly database = new DatabaseSync(':memory:')
  constructor() {
    super()
    this.database.exec('create table session (sid text primary key, sess text not null, expire integer not null)')
  }
  override get(sid: string, done: (error: unknown, data?: session.SessionData | null) => void) {
    const row = this.database.prepare('select sess from session where sid = ? and expire >= ?').get(sid, Date.now())
    done(null, row ? JSON.parse(String(row.sess)) : null)
  }
  override set(sid: string, data: session.SessionData, done?: () => void) {
    const sql = 'insert or replace into session (sid, sess, expire) values (?, ?, ?)'
    this.database.prepare(sql).run(sid, JSON.stringify(data), Date.now() + 3_600_000)
    done?.()
  }
  override destroy(sid: string, done?: () => void) {
    this.database.prepare('delete from session where sid = ?').run(sid)
    done?.()
  }
  async take(sid: string): Promise<unknown> {
    const sql =
      "delete from session where sid = ? and expire >= ? and json_extract(sess, '$.passport.user') is not null returning sess"
    return this.database.prepare(sql).get(sid, Date.now())?.sess ?? null
  }
  contents = () =>
    this.database
      .prepare('select sess from session')
      .all()
      .map(({ sess }) => JSON.parse(String(sess)))
}

/** The old sign-in and the new pages in one application, and a user 7 who may be disabled. */
async function startApp(isDisabled = () => false) {
  const store = new TableStore()
  const sessions = createSessions({ records: createMemoryRecordStore() })
  const cookie = createSessionCookie()
  const app = express()
  app.use(session({ store, secret: 'of the old application', resave: false, saveUninitialized: false }))
  app.post('/old-login', (request, response) => {
    Object.assign(request.session, { passport: { user: 7 } })
    response.sendStatus(204)
  })
  app.post('/visit', (request, response) => {
    Object.assign(request.session, { basket: [1] })
    response.sendStatus(204)
  })
  const findAccount = async (user: string | number) => (isDisabled() ? null : { id: `user_${user}`, epoch: 1 })
  app.use(takeOverSessions({ sessions, cookie, take: (sid) => store.take(sid), findAccount }))
  app.get('/buy', (request, response) => {
    Object.assign(request.session, { basket: [2] })
    response.send('bought')
  })
  app.get('/me', async (request, response) => {
    response.send((await sessions.read(cookie.read(request.headers.cookie)))?.subject ?? 'nobody')
  })
  const server = createServer(app).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    store,
    async ask(method: string, path: string, sent = '') {
      const response = await fetch(url + path, { method, headers: { cookie: sent } })
      return { text: await response.text(), cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
    },
  }
}

test('takeOverSessions keeps a user of express-session signed in, under a new cookie, and takes the user out of the old row', async () => {
  const { ask, store } = await startApp()
  const { cookie: old } = await ask('POST', '/old-login')
  const first = await ask('GET', '/me', old)
  expect(first).toEqual({ text: 'user_7', cookie: expect.stringMatching(/^__Host-session=/) })
  for (const sess of store.contents()) expect(sess).not.toHaveProperty('passport')
  expect(await ask('GET', '/me', first.cookie)).toEqual({ text: 'user_7', cookie: '' })
  expect(await ask('GET', '/me', old)).toEqual({ text: 'nobody', cookie: '' })
})

test('takeOverSessions keeps the old cookie void when the same request changes the old session', async () => {
  const { ask, store } = await startApp()
  const { cookie: old } = await ask('POST', '/old-login')
  await ask('GET', '/buy', old)
  expect(store.contents()).toEqual([{ cookie: expect.anything(), basket: [2] }])
  expect((await ask('GET', '/me', old)).text).toBe('nobody')
})

test('takeOverSessions does not change the session of a visitor', async () => {
  const { ask, store } = await startApp()
  const { cookie } = await ask('POST', '/visit')
  await ask('GET', '/me', cookie)
  expect(store.contents()).toEqual([{ cookie: expect.anything(), basket: [1] }])
})

test('takeOverSessions creates one session when two requests bring the old cookie at once', async () => {
  const { ask } = await startApp()
  const { cookie: old } = await ask('POST', '/old-login')
  const answers = await Promise.all([ask('GET', '/me', old), ask('GET', '/me', old)])
  expect(answers.filter(({ cookie }) => cookie.startsWith('__Host-session='))).toHaveLength(1)
})

test.each([
  ['a forged signature', '/old-login', (cookie: string) => `${cookie.slice(0, -4)}AAAA`],
  ['the session of a visitor', '/visit', (cookie: string) => cookie],
])('takeOverSessions creates no session for %s', async (_case, path, change) => {
  const { ask } = await startApp()
  const { cookie } = await ask('POST', path)
  const answer = await ask('GET', '/me', change(cookie))
  expect(answer.text).toBe('nobody')
  expect(answer.cookie).not.toMatch(/^__Host-session/)
})

test('takeOverSessions creates no session when the account is disabled or the old session has expired', async () => {
  const disabled = await startApp(() => true)
  const { cookie } = await disabled.ask('POST', '/old-login')
  expect((await disabled.ask('GET', '/me', cookie)).text).toBe('nobody')
  const expired = await startApp()
  const old = await expired.ask('POST', '/old-login')
  expired.store.database.exec('update session set expire = 1')
  expect((await expired.ask('GET', '/me', old.cookie)).text).toBe('nobody')
})

test.each([
  ['of text', 'c1'.repeat(16)],
  ['of bytes', new Uint8Array(16).fill(193)],
])('writeScrypt makes a hash of crypto.scrypt with a salt %s verifiable', async (_kind, salt) => {
  const stored = writeScrypt(salt, scryptSync('otters read quietly', salt, 64))
  expect(await verifyPassword('otters read quietly', stored)).toEqual({ ok: true, needsRehash: true })
  expect(await verifyPassword('otters read loudly', stored)).toEqual({ ok: false, needsRehash: false })
})
