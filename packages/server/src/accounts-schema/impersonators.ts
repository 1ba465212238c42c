import type { Account } from '@latchkey/accounts'
import type { AnyPolicy } from '@latchkey/rbac'
import type { ServerContext } from './server-context.ts'

/** What an account says of who acts as it. */
export const impersonatorOfAccount = /* GraphQL */ `
    "The id of the administrator who acts as the account with this request; null: none, or it is another account."
    impersonatedBy: ID @public`

/** What a session says of who acts as the account by it. */
export const impersonatorOfSession = /* GraphQL */ `
    "The id of the administrator who acts as the account by it; null: it is the owner's."
    impersonatedBy: ID @public`

export function impersonatedBy(
  { id }: Account,
  _args: unknown,
  { identity }: Pick<ServerContext<AnyPolicy>, 'identity'>,
): string | null {
  return identity?.subject === id ? identity.impersonator : null
}
