import type { AnyPolicy } from '@latchkey/rbac'
import { type Resolve, rejectCredentials } from '../../schema/account-payloads.ts'
import type { ServerContext } from '../../schema/server-context.ts'

type Context = ServerContext<AnyPolicy>

/** The resolvers of links to providers: each calls one use case and returns its answer in GraphQL. */
export function providerResolvers(
  isOffered: boolean,
): Readonly<Record<'Query' | 'Mutation', Readonly<Record<string, Resolve>>>> {
  if (!isOffered) return { Query: {}, Mutation: {} }
  return { Query: { linkedProviders }, Mutation: { unlinkProvider } }
}

async function linkedProviders(
  _source: unknown,
  _args: unknown,
  { accounts, authorize }: Context,
): Promise<readonly object[]> {
  const linked = await accounts.linkedProviders(authorize('authenticated').subject)
  return linked.map(({ id, issuer, createdAt }) => ({ id, issuer, createdAt: new Date(createdAt).toISOString() }))
}

async function unlinkProvider(
  _source: unknown,
  { id }: { readonly id: string },
  { factorSession }: Context,
): Promise<boolean> {
  const result = await factorSession.unlinkProvider(id)
  if (result === null) return false
  return result.ok || rejectCredentials()
}
