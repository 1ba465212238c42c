import type { EnrolledPasskey } from '@latchkey/store'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { offered } from '../../errors.ts'
import { checkPasskeyName } from './passkey-name.ts'

/** A name gives no access, so all sessions stay valid and no fresh proof is needed. */
export async function renamePasskey(
  context: AccountsContext,
  { identity, id, name }: Parameters<Accounts['renamePasskey']>[0],
): Promise<EnrolledPasskey | null> {
  const passkeys = offered(context.passkeys)
  const renamed = await passkeys.rename(identity.subject, id, checkPasskeyName(name))
  return renamed.ok ? renamed.passkey : null
}
