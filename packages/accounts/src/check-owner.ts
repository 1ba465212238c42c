import { AccountsError } from './errors.ts'

interface OwnersInput {
  readonly identity: { readonly subject: string; readonly impersonator?: string | null }
}

/**
 * Returns the input if the owner of the account sent it. It guards use cases whatever rules the caller has checked.
 *
 * @throws AccountsError NOT_WHILE_IMPERSONATING if an administrator acts as the account.
 */
export function checkOwner<Input extends OwnersInput>(input: Input): Input {
  if ((input.identity.impersonator ?? null) === null) return input
  throw new AccountsError('NOT_WHILE_IMPERSONATING', 'only the owner of the account can do this')
}
