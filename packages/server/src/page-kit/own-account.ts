import type { Account } from '@latchkey/accounts'
import { AccessError } from '@latchkey/graphql'
import type { Identity } from '@latchkey/rbac'
import { hidden } from './html/field.ts'
import type { Html } from './html/html.ts'
import type { PageParts } from './page-parts.ts'
import { signedIn } from './page-rules.ts'

/** Returns the account of who is signed in. @throws AccessError where it was removed after the identity was established. */
export async function ownAccount({ accounts, authorize }: PageParts): Promise<Account> {
  const account = await accounts.get(authorize(signedIn).subject)
  if (!account) throw new AccessError('UNAUTHENTICATED')
  return account
}

/** Returns the field that says for whose account a form is shown. */
export function presentedFor({ id }: Pick<Account, 'id'>): Html {
  return hidden('account', id)
}

/**
 * In one browser another account may have signed in since a form was shown: what was typed is not meant for that one.
 *
 * @throws AccessError `FORBIDDEN`
 */
export function checkPresentedFor(
  form: ReadonlyMap<string, string> | null,
  { subject }: Pick<Identity, 'subject'>,
): void {
  if ((form?.get('account') ?? subject) !== subject) throw new AccessError('FORBIDDEN')
}
