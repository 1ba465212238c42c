import { type AuthCore, createAuthClient } from '@latchkey/client'
import { createOAuthClient } from '@latchkey/client/oauth'

export interface User {
  readonly id: string
  readonly name: string
  /** Absent on another origin: `createOAuthClient` reads `id` and `name` by default. */
  readonly email?: string | null
  readonly role?: string
}

/** The address of the service if it is on another origin, from `.env.other-origin`. */
const issuer = import.meta.env.VITE_ISSUER as string | undefined

/** The client on the origin of the service: forms of this page, and a session cookie. `null` on another origin. */
export const own = issuer === undefined ? createAuthClient<User>() : null

/** The client on another origin: the pages of the service, and tokens bound to a key of this browser. Otherwise `null`. */
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

/** Signs in, sends requests and subscribes, on both origins. */
export const auth: AuthCore<User> = (own ?? oauth) as AuthCore<User>

/** The URL of subscriptions. */
export const streamUrl = `${issuer ?? ''}/graphql/stream`

/** The reason why a sign-in at the service failed, or `null`. */
export let failedRedirect: Error | null = null

/** Finishes a sign-in at the service and returns the path to show. `null`: this page was not opened by a redirect. */
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

/** Returns the address of a page of the service, on both origins. */
export function servicePage(path: string): string {
  return `${issuer ?? ''}${path}`
}
