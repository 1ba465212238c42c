import { AccountsError } from './errors.ts'

interface OwnersInput {
  readonly identity: { readonly subject: string; readonly impersonator?: string | null }
}

/**
 * Returns the input of a use case that is for the owner of an account, whatever rule its caller has asked.
 *
 * @throws AccountsError NOT_WHILE_IMPERSONATING where an administrator acts as the account.
 */
export function checkOwner<Input extends OwnersInput>(input: Input): Input {
  if ((input.identity.impersonator ?? null) === null) return input
  throw new AccountsError('NOT_WHILE_IMPERSONATING', 'only the owner of the account can do this')
}
