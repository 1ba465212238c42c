import { pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import bcrypt from 'bcryptjs'
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import { Strategy } from 'passport-local'
import { onTestFinished } from 'vitest'

const derive = promisify(pbkdf2)

/** The table of the tutorial of Passport; `salt` is of its PBKDF2, and hashes of bcrypt have none. */
const usersTable = `create table users (
  id integer primary key, username text unique, name text, hashed_password blob, salt blob)`

/** An application as people have it: `passport-local` on that table, and sessions by `express-session`. */
export interface PassportApp {
  /** Adds a user with a hash of bcrypt, or one of PBKDF2 as the tutorial makes it. */
  addUser(username: string, password: string, kind?: 'bcrypt' | 'pbkdf2'): Promise<void>
  /** Signs in, and returns the cookie; `null`: refused. */
  signIn(username: string, password: string): Promise<string | null>
  whoIs(cookie: string): Promise<string>
}

export async function startPassportApp(database: DatabaseSync): Promise<PassportApp> {
  database.exec(usersTable)
  const insert = database.prepare('insert into users (username, name, hashed_password, salt) values (?, ?, ?, ?)')
  const find = database.prepare('select * from users where username = ?')
  const verify = async (username: string, password: string): Promise<Express.User | false> => {
    const row = find.get(username)
    if (!row) return false
    const { hashed_password: hash, salt } = row
    if (typeof hash === 'string') return (await bcrypt.compare(password, hash)) && { username }
    if (!(hash instanceof Uint8Array) || !(salt instanceof Uint8Array)) return false
    return timingSafeEqual(hash, await derive(password, salt, 310_000, 32, 'sha256')) && { username }
  }
  const authenticator = new passport.Passport()
  authenticator.use(
    new Strategy((username, password, done) => {
      verify(username, password).then((user) => done(null, user), done)
    }),
  )
  authenticator.serializeUser<string>((user, done) => done(null, 'username' in user ? String(user.username) : ''))
  authenticator.deserializeUser<string>((username, done) => done(null, { username }))
  const app = express()
  app.use(session({ secret: 'of the old application', resave: false, saveUninitialized: false }))
  app.use(authenticator.session())
  app.post('/login', express.urlencoded(), authenticator.authenticate('local'), (_request, response) => {
    response.sendStatus(204)
  })
  app.get('/me', (request, response) => {
    response.send(request.user && 'username' in request.user ? String(request.user.username) : 'nobody')
  })
  const url = await listen(app)
  return {
    async addUser(username, password, kind = 'bcrypt') {
      if (kind === 'bcrypt') return void insert.run(username, 'A Member', await bcrypt.hash(password, 4), null)
      const salt = randomBytes(16)
      insert.run(username, 'A Member', await derive(password, salt, 310_000, 32, 'sha256'), salt)
    },
    async signIn(username, password) {
      const body = new URLSearchParams({ username, password })
      const response = await fetch(`${url}/login`, { method: 'POST', body })
      return response.status === 204 ? (response.headers.getSetCookie()[0]?.split(';')[0] ?? null) : null
    },
    whoIs: async (cookie) => (await fetch(`${url}/me`, { headers: { cookie } })).text(),
  }
}

async function listen(app: express.Express): Promise<string> {
  const server = createServer(app).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}
