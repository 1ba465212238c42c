import { createCore } from '../core/create-core.ts'
import { sessionDelivery } from '../deliveries/session-delivery.ts'
import { tokenDelivery } from '../deliveries/token-delivery.ts'
import { openStorage } from '../platform/open-storage.ts'
import type { AuthUser } from '../state/auth-state.ts'
import { accountOperations } from './account-operations.ts'
import type { AuthClient, AuthClientOptions } from './auth-client.ts'
import { prove, signInOperations } from './sign-in-operations.ts'

/**
 * Returns a client for the pages of a service. Its first call or listener sends the first request, a query for the current
 * session.
 *
 * @example
 * import { createAuthClient } from '@latchkey/client'
 *
 * const auth = createAuthClient()
 * auth.subscribe(() => console.log(auth.getState().status))
 * await auth.signIn({ email: 'author@example.com', password: 'otters read quietly at dawn' })
 * const { articles } = await auth.request<{ articles: { title: string }[] }>('{ articles(first: 10) { title } }')
 */
export function createAuthClient<User extends { readonly id: string } = AuthUser>(
  options?: AuthClientOptions,
): AuthClient<User> {
  const { url = '/graphql', delivery = 'session', userFields = 'id name email role' } = options ?? {}
  const kept = openStorage(`latchkey ${url} `)
  const { client, page } = createCore<User>({
    ...options,
    ...{ name: `latchkey ${url} ${delivery}`, url, userFields, kept, prove },
    delivery: delivery === 'session' ? sessionDelivery : tokenDelivery(userFields, kept),
  })
  return { ...client, ...signInOperations(page), ...accountOperations(page) }
}
