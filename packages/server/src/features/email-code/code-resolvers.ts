import type { AnyPolicy } from '@latchkey/rbac'
import { type Resolve, rejectCredentials, toSignInPayload } from '../../schema/account-payloads.ts'
import type { ServerContext } from '../../schema/server-context.ts'
import type { CredentialDelivery } from '../../service/account-session/account-session.ts'

type Context = ServerContext<AnyPolicy>
type Input<Fields> = { readonly input: Fields }

/** A variable that is `null` counts as omitted. */
interface RequestFields {
  readonly email: string
  readonly delivery: CredentialDelivery | null
  readonly deviceToken?: string | null
}

interface CodeFields extends RequestFields {
  readonly code: string
  readonly challenge?: string | null
}

/** The resolvers by which people sign in by a code of a mail: each calls one use case and returns its answer in GraphQL. */
export function codeResolvers(isOffered: boolean): Readonly<Record<string, Resolve>> {
  return isOffered ? { requestSignInCode, signInWithCode } : {}
}

function requestSignInCode(
  _source: unknown,
  { input: { delivery, ...fields } }: Input<RequestFields>,
  { accountSession }: Context,
): Promise<object> {
  return accountSession.requestSignInCode({ ...fields, delivery: delivery ?? 'SESSION' })
}

async function signInWithCode(
  _source: unknown,
  { input: { delivery, ...fields } }: Input<CodeFields>,
  { accountSession }: Context,
): Promise<unknown> {
  const result = await accountSession.signInWithCode({ ...fields, delivery: delivery ?? 'SESSION' })
  return result.ok ? toSignInPayload(result) : rejectCredentials()
}
