import { AccessError } from '@latchkey/graphql'
import type { AnyPolicy } from '@latchkey/rbac'
import { type Resolve, rejectLink } from '../../schema/account-payloads.ts'
import type { OfferedLife } from '../../schema/schema-offer.ts'
import type { ServerContext } from '../../schema/server-context.ts'

type Context = ServerContext<AnyPolicy>
type Input<Fields> = { readonly input: Fields }
type Token = Input<{ readonly token: string }>

/** The resolvers by which owners change their account: each calls one use case and returns its answer in GraphQL. */
export function lifeResolvers({ email, deletion }: OfferedLife): Readonly<Record<string, Resolve>> {
  return {
    exportAccount,
    changeName,
    ...(email && { requestEmailChange, confirmEmailChange, undoEmailChange }),
    ...(deletion && { deleteAccount }),
  }
}

async function exportAccount(_source: unknown, _args: unknown, context: Context): Promise<string> {
  const { accounts, authorize, attempt } = context
  const exported = await accounts.exportAccount({ identity: authorize('authenticated'), attempt: attempt() })
  return exported ?? rejectGone()
}

async function changeName(
  _source: unknown,
  { input: { name } }: Input<{ readonly name: string }>,
  { accounts, authorize, attempt }: Context,
): Promise<object> {
  const account = await accounts.changeName({ identity: authorize('authenticated'), name, attempt: attempt() })
  return account ?? rejectGone()
}

function requestEmailChange(
  _source: unknown,
  { input: { newEmail } }: Input<{ readonly newEmail: string }>,
  { accounts, authorize, attempt }: Context,
): Promise<true> {
  return accounts.requestEmailChange({ identity: authorize('authenticated'), newEmail, attempt: attempt() })
}

async function confirmEmailChange(
  _source: unknown,
  { input: { token } }: Token,
  { accounts, attempt }: Context,
): Promise<true> {
  const { ok } = await accounts.confirmEmailChange({ token, attempt: attempt() })
  return ok || rejectLink()
}

async function undoEmailChange(
  _source: unknown,
  { input: { token } }: Token,
  { accounts, attempt }: Context,
): Promise<true> {
  const { ok } = await accounts.undoEmailChange({ token, attempt: attempt() })
  return ok || rejectLink()
}

async function deleteAccount(
  _source: unknown,
  { input: { confirm } }: Input<{ readonly confirm: boolean }>,
  { accountSession }: Context,
): Promise<true> {
  if (!confirm) {
    throw new AccessError('BAD_USER_INPUT', {
      field: 'input.confirm',
      message: 'Set confirm to true to delete the account.',
    })
  }
  const { ok } = await accountSession.deleteAccount()
  return ok || rejectGone()
}

/** The account was removed, or what was open has ended, after the identity was established. */
function rejectGone(): never {
  throw new AccessError('UNAUTHENTICATED')
}
