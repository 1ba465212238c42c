import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SessionCookie } from '@latchkey/http'
import type { Sessions } from '@latchkey/sessions'

/** The parts that `takeOverSessions` works with. */
export interface TakeOver {
  readonly sessions: Pick<Sessions, 'create'>
  readonly cookie: Pick<SessionCookie, 'isSent' | 'write'>
  /** Deletes a row that has a user and returns its `sess`, in one statement. `null`: no such row, or an expired one. */
  readonly take: (sid: string) => Promise<unknown>
  /** Returns the account of the user id that Passport has serialized. `null`: deleted or disabled. */
  readonly findAccount: (user: string | number) => Promise<{ readonly id: string; readonly epoch: number } | null>
}

/**
 * Returns a middleware that replaces an old session with a new one. Mount it after `express-session`, which verifies the
 * signature of the old cookie and sets `sessionID`.
 */
export function takeOverSessions({ sessions, cookie, take, findAccount }: TakeOver) {
  return async (
    request: IncomingMessage & { sessionID?: string; session?: { cookie?: unknown; passport?: unknown } },
    response: ServerResponse,
    next: (error?: unknown) => void,
  ): Promise<void> => {
    const { sessionID, headers } = request
    if (!sessionID || cookie.isSent(headers.cookie)) return next()
    try {
      const user = readUser(await take(sessionID))
      // Otherwise a route that changes the old session would write its row again, with the user.
      delete request.session?.passport
      const account = user === null ? null : await findAccount(user)
      if (!account) return next()
      // The old session has no time of its sign-in: none is claimed, so a rule about fresh sign-ins asks again.
      const factors = [{ kind: 'password', at: 0 }]
      const issued = await sessions.create({ subject: account.id, epoch: account.epoch, factors })
      if (!issued) return next()
      const line = cookie.write(issued.credential)
      response.appendHeader('Set-Cookie', line)
      headers.cookie = `${headers.cookie}; ${line.split(';')[0]}`
      next()
    } catch (error) {
      next(error)
    }
  }
}

/** Returns `sess.passport.user`, or `null` for the session of a visitor. */
function readUser(sess: unknown): string | number | null {
  const content = typeof sess === 'string' ? JSON.parse(sess) : sess
  const user = content?.passport?.user
  return typeof user === 'string' || typeof user === 'number' ? user : null
}

/**
 * Returns a hash of Node's `crypto.scrypt(password, salt, 64)` in the notation that `@latchkey/password` reads. Pass the
 * salt as `scrypt` had it: a text of hexadecimal digits counts as text, not as the bytes that it spells.
 */
export function writeScrypt(salt: string | Uint8Array, hash: Uint8Array): string {
  const [saltText, hashText] = [salt, hash].map((part) => Buffer.from(part).toString('base64').replace(/=+$/, ''))
  return `$scrypt$ln=14,r=8,p=1$${saltText}$${hashText}`
}
