import type { Account } from '@latchkey/accounts'
import { AccessError } from '@latchkey/graphql'
import type { PageParts } from '../page-parts.ts'
import { signedIn } from '../sign-in/step-up.ts'

/** Returns the account of who is signed in. @throws AccessError where it was removed after the identity was established. */
export async function ownAccount({ accounts, authorize }: PageParts): Promise<Account> {
  const account = await accounts.get(authorize(signedIn).subject)
  if (!account) throw new AccessError('UNAUTHENTICATED')
  return account
}
