import type { DatabaseSync } from 'node:sqlite'
import { codeAt } from '@latchkey/test-services'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { twoFactor } from 'better-auth/plugins'

export const betterAuthSecret = 'of the old application: 32 characters'

/** An application with better-auth on that database, with its tables as its migration creates them. */
export async function openBetterAuthApp(database: DatabaseSync) {
  const options = {
    baseURL: 'http://127.0.0.1:3000',
    appName: 'Example',
    secret: betterAuthSecret,
    database,
    emailAndPassword: { enabled: true },
    plugins: [twoFactor()],
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
  }
  const { runMigrations } = await getMigrations(options)
  await runMigrations()
  const auth = betterAuth(options)
  const cookieOf = (headers: Headers) =>
    headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
  const update = database.prepare('update user set emailVerified = 1 where email = ?')
  return {
    auth,
    /** Signs up a user, and returns the id and the cookie of the session. */
    async addUser(email: string, password: string, { verified = true } = {}) {
      const { headers, response } = await auth.api.signUpEmail({
        body: { email, password, name: 'A Member' },
        returnHeaders: true,
      })
      if (verified) update.run(email.toLowerCase())
      return { id: response.user.id, cookie: cookieOf(headers) }
    },
    whoIs: async (cookie: string) => (await auth.api.getSession({ headers: new Headers({ cookie }) }))?.user.id ?? null,
    /** Adds a user who has come by Google and never had a password. */
    async addGoogleUser(email: string): Promise<string> {
      const { internalAdapter } = await auth.$context
      const profile = { email, name: 'A Member', emailVerified: true }
      const google = { providerId: 'google', accountId: `sub of ${email}`, issuer: 'https://accounts.google.com' }
      return (await internalAdapter.createOAuthUser(profile, google)).user.id
    },
    /** Enrols an authenticator app, and returns the secret that it was given, in base32. */
    async enrol(cookie: string, password: string): Promise<string> {
      const headers = new Headers({ cookie })
      const enabled = await auth.api.enableTwoFactor({ body: { password, method: 'totp' }, headers })
      const secret = 'totpURI' in enabled ? (new URL(enabled.totpURI).searchParams.get('secret') ?? '') : ''
      await auth.api.verifyTOTP({ body: { code: codeAt(secret, Date.now()) }, headers })
      return secret
    },
  }
}
