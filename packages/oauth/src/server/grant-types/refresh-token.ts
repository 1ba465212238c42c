import type { RefreshFamily } from '@latchkey/sessions'
import { refuseUnsigned } from '../context/requested-access.ts'
import type { ServerContext } from '../context/server-context.ts'
import { isAlive } from '../issuing/access-tokens.ts'
import { createFamilyRead } from '../issuing/family-read.ts'
import type { Granted } from '../issuing/token-answer.ts'
import { type Refusal, refuse } from '../responses/refusal.ts'
import type { Grant, TokenRequest } from './grant.ts'
import { channel, isRefreshable } from './new-family.ts'
import { findSessionEnd } from './online-session.ts'
import { readAudience } from './resource.ts'
import { narrowScope, scopesNow } from './scope.ts'

const invalid = refuse(
  'invalid_grant',
  'The refresh token is invalid, expired, revoked, already used or was issued to another client.',
)
const unproven = refuse('invalid_grant', 'The refresh token is bound to a key. Send a DPoP proof of that key.')

/** The next tokens of a family (RFC 6749 §6). */
export const refreshToken: Grant = async (context, asked) => {
  const { form, client, keyBinding } = asked
  const token = form.get('refresh_token')
  if (token === null) return refuse('invalid_request', '"refresh_token" is required.')
  const read = createFamilyRead(context)
  let judged = invalid as Judged
  const verdict = await context.refreshTokens.redeem(token, {
    ...{ clientId: client.id, channel, keyBinding, ...read.from },
    async isAllowed(family) {
      judged = judge(context, family, asked)
      if (judged.ok && !(await isAlive(context, family, read.account()))) judged = invalid
      if (judged.ok) judged = (await refuseUnsigned(context, client, judged.scopes)) ?? judged
      if (judged.ok) judged = await withSessionEnd(context, family, judged)
      return judged.ok
    },
  })
  if (!verdict.ok && verdict.reason === 'key') return unproven
  // It has ended, and its access tokens with it: a list of denials learns of it here.
  if (!verdict.ok && verdict.reason === 'reused' && verdict.family)
    await context.refreshTokens.revoke(verdict.family.key)
  if (!judged.ok) return judged
  return verdict.ok ? { ...judged, family: verdict.family, refreshToken: verdict.token } : invalid
}

/** The tokens of a family for a request, or a refusal, which leaves its token unused. */
type Judged = Pick<Granted, 'ok' | 'scopes' | 'audience' | 'endsAt'> | Refusal

function judge(context: ServerContext, family: RefreshFamily, { form, client }: TokenRequest): Judged {
  const allowed = scopesNow(context, client, family.scopes ?? [])
  if (!isRefreshable(allowed)) return invalid
  const scope = narrowScope(form, allowed)
  if (!scope.ok) return scope
  const audience = readAudience(context, form, family.resources)
  return audience.ok ? { ...scope, ...audience } : audience
}

/** A refresh with `online_access` counts as use of the session, and its tokens do not outlive the session. */
async function withSessionEnd(
  context: ServerContext,
  { subject, session, scopes }: RefreshFamily,
  judged: Exclude<Judged, Refusal>,
): Promise<Judged> {
  const endsAt = await findSessionEnd(context, { scopes: scopes ?? [], subject, session }, { isUse: true })
  return endsAt === null ? invalid : { ...judged, endsAt }
}
