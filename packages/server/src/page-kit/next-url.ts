import type { WaitingAuthorization } from '../options/oauth/authorization-server.ts'
import { withReturn } from './return-path.ts'

/**
 * Returns where a sign-in leads: an account that has to set up a second factor before anything else can do so at its page.
 *
 * @param asking the request that goes on there, if it is that of a client.
 */
export function nextUrl(
  { mustEnroll }: { readonly mustEnroll: boolean },
  returnTo: string | null,
  asking: Pick<WaitingAuthorization, 'acrValues'> | null = null,
): string | null {
  if (mustEnroll) return '/account'
  // Whether the new session is as the client wishes shows at the next request.
  return asking && asking.acrValues.length > 0 ? withReturn('/sign-in', returnTo) : returnTo
}
