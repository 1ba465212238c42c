import type { EnrolledPasskey } from '@latchkey/store'
import type { AccountsContext } from '../../context/accounts-context.ts'
import { offered } from '../../errors.ts'
import type { RenamePasskeyInput } from './factor-inputs.ts'
import { checkPasskeyName } from './passkey-name.ts'

/** A name opens nothing: the passkey is the same, so nothing ends and no fresh proof is needed. */
export async function renamePasskey(
  context: AccountsContext,
  { identity, id, name }: RenamePasskeyInput,
): Promise<EnrolledPasskey | null> {
  const passkeys = offered(context.passkeys)
  const renamed = await passkeys.rename(identity.subject, id, checkPasskeyName(name))
  return renamed.ok ? renamed.passkey : null
}
