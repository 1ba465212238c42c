import type { WaitingAuthorization } from '../options/oauth/authorization-server.ts'
import { withReturn } from './return-path.ts'

/**
 * Returns the destination after a sign-in. An account that must set up a second factor first is redirected to its page.
 *
 * @param asking the client's request that continues there, if any.
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
