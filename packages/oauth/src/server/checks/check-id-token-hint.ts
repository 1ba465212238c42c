import { readIdTokenHint } from '../issuing/id-token-hint.ts'
import { refuse } from '../responses/refusal.ts'
import type { Check } from './check.ts'

/** An id token of this server, expired or not, names the account that must sign in (OpenID Connect Core §3.1.2.1). */
export const checkIdTokenHint: Check<'subject'> = async ({ parameters, client }, context) => {
  const hint = parameters.get('id_token_hint')
  if (hint === null) return { subject: null }
  const read = await readIdTokenHint(context, hint)
  return read?.clientId === client.id
    ? { subject: read.subject }
    : refuse('invalid_request', '"id_token_hint" must be an ID token that this server issued to the client.')
}
