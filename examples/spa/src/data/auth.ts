import { type AuthCore, createAuthClient } from '@latchkey/client'
import { createOAuthClient } from '@latchkey/client/oauth'

export interface User {
  readonly id: string
  readonly name: string
  /** Absent on another origin, where this page learns a name only. */
  readonly email?: string | null
  readonly role?: string
}

/** The service, where it is at another origin: `.env.other-origin`. */
const issuer = import.meta.env.VITE_ISSUER as string | undefined

/** On the origin of the service: signs in by forms of this page, over a session cookie. */
export const own = issuer === undefined ? createAuthClient<User>() : null

/** On another origin: signs in by the pages of the service, over tokens bound to a key of this browser. */
export const oauth =
  issuer === undefined
    ? null
    : createOAuthClient<User>({
        issuer,
        clientId: 'demo-app',
        redirectUri: `${location.origin}/callback`,
        url: `${issuer}/graphql`,
        scope:
          'openid profile email online_access articles:read articles:create articles:update articles:publish comments:create',
      })

/** Signs in, requests and subscribes: the same on either origin. */
export const auth: AuthCore<User> = (own ?? oauth) as AuthCore<User>

/** Where subscriptions are opened. */
export const streamUrl = `${issuer ?? ''}/graphql/stream`

/** Why a sign-in at the service has led back without one; `null`: it has not. */
export let failedRedirect: Error | null = null

/** Returns where a sign-in at the service leads back to; `null`: this page was opened in another way. */
export async function finishRedirect(): Promise<string | null> {
  if (oauth === null || location.pathname !== '/callback') return null
  try {
    const arrived = await oauth.handleRedirect()
    return arrived?.returnTo ?? '/'
  } catch (error) {
    failedRedirect = error as Error
    return '/app/sign-in'
  }
}

/** The page of the service that this page leads to; on another origin at the service. */
export function servicePage(path: string): string {
  return `${issuer ?? ''}${path}`
}
