import { EventEmitter } from 'node:events'
import { type IncomingMessage, ServerResponse } from 'node:http'
import { createSessionCookie } from '@latchkey/http'
import { createSessions } from '@latchkey/sessions'
import { createMemoryRecordStore, type RecordStore } from '@latchkey/store'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import type { Request, Response } from 'express'
import session from 'express-session'

/** One way to find the session of a request. */
export interface SessionWay {
  /** The cookie of the browser. */
  readonly cookie: string
  /** Resolves to the account's id. */
  read(cookieHeader: string): Promise<string | null>
}

export const sessionWays: Readonly<Record<string, () => Promise<SessionWay>>> = {
  latchkey: () => openLatchkey(),
  'express-session': openExpressSession,
  'better-auth': openBetterAuth,
}

/** A session of ours in a store. */
export async function openLatchkey(records: RecordStore = createMemoryRecordStore()): Promise<SessionWay> {
  const sessions = createSessions({ records })
  const cookie = createSessionCookie()
  const issued = await sessions.create({ subject: 'acc_1', factors: [] })
  if (!issued) throw new Error('a fresh session was refused')
  return {
    cookie: `theme=dark; ${cookie.name}=${issued.credential}`,
    read: async (header) => (await sessions.read(cookie.read(header)))?.subject ?? null,
  }
}

declare module 'express-session' {
  interface SessionData {
    subject: string
  }
}

/** The options that its documentation recommends; the store is the one in memory. */
export function createExpressSession(): ReturnType<typeof session> {
  return session({ secret: 'of the benchmark only', resave: false, saveUninitialized: false })
}

/** Runs the middleware without a server: request and response are objects of Node.js without a socket. */
async function openExpressSession(): Promise<SessionWay> {
  const middleware = createExpressSession()
  const pass = async (cookie?: string): Promise<{ request: Request; response: Response }> => {
    const request = new EventEmitter() as Request
    Object.assign(request, { method: 'GET', url: '/', originalUrl: '/', headers: cookie ? { cookie } : {} })
    const response = new ServerResponse(request as unknown as IncomingMessage) as Response
    await new Promise<void>((resolve) => middleware(request, response, () => resolve()))
    return { request, response }
  }
  const { request, response } = await pass()
  request.session.subject = 'acc_1'
  response.end()
  await new Promise((resolve) => setTimeout(resolve, 50))
  const cookie = String(response.getHeader('set-cookie')).split(';')[0] ?? ''
  return {
    cookie: `theme=dark; ${cookie}`,
    read: async (header) => (await pass(header)).request.session.subject ?? null,
  }
}

/** A table in memory, no cache in a cookie: a revocation counts at once, as in the others. */
async function openBetterAuth(): Promise<SessionWay> {
  const tables = { user: [], session: [], account: [], verification: [] }
  const auth = betterAuth({
    baseURL: 'http://127.0.0.1:4000',
    secret: 'of the benchmark only: 32 characters',
    database: memoryAdapter(tables),
    emailAndPassword: { enabled: true, password: { hash: async (text) => text, verify: async () => true } },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
  })
  const body = { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada' }
  const { headers } = await auth.api.signUpEmail({ body, returnHeaders: true })
  const cookies = headers.getSetCookie().map((line) => line.split(';')[0])
  return {
    cookie: ['theme=dark', ...cookies].join('; '),
    read: async (cookie) => (await auth.api.getSession({ headers: new Headers({ cookie }) }))?.user.id ?? null,
  }
}
