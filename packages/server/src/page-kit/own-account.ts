import type { Account } from '@latchkey/accounts'
import { AccessError } from '@latchkey/graphql'
import type { Identity } from '@latchkey/rbac'
import { hidden } from './html/field.ts'
import type { Html } from './html/html.ts'
import type { PageParts } from './page-parts.ts'
import { signedIn } from './page-rules.ts'

/** Returns the signed-in account. @throws AccessError if it was removed after the identity was established. */
export async function ownAccount({ accounts, authorize }: PageParts): Promise<Account> {
  const account = await accounts.get(authorize(signedIn).subject)
  if (!account) throw new AccessError('UNAUTHENTICATED')
  return account
}

/** Returns the hidden field with the account that a form is shown to. */
export function presentedFor({ id }: Pick<Account, 'id'>): Html {
  return hidden('account', id)
}

/**
 * Refuses a form that was shown to another account: another user may have signed in in this browser since.
 *
 * @throws AccessError `FORBIDDEN`
 */
export function checkPresentedFor(
  form: ReadonlyMap<string, string> | null,
  { subject }: Pick<Identity, 'subject'>,
): void {
  if ((form?.get('account') ?? subject) !== subject) throw new AccessError('FORBIDDEN')
}
