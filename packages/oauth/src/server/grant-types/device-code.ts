import { refuseUnsigned } from '../context/requested-access.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { DevicePoll } from '../grants/device-codes.ts'
import { mayGoOut } from '../issuing/access-tokens.ts'
import type { Granted } from '../issuing/token-answer.ts'
import { type Refusal, refuse } from '../responses/refusal.ts'
import type { Grant, TokenRequest } from './grant.ts'
import { isRefreshable, newFamily } from './new-family.ts'
import { readAudience } from './resource.ts'
import { scopesNow } from './scope.ts'

/** Tokens for a device whose user has answered elsewhere (RFC 8628 §3.4). */
export const deviceCode: Grant = async (context, asked) => {
  const code = asked.form.get('device_code')
  if (code === null) return refuse('invalid_request', '"device_code" is required.')
  const waiting = await context.deviceCodes.read(code, asked.client.id)
  const audience = waiting && readAudience(context, asked.form, waiting.resources)
  if (audience?.ok === false) return audience
  const scopes = waiting && scopesNow(context, asked.client, waiting.scopes)
  const unsigned = scopes && (await refuseUnsigned(context, asked.client, scopes))
  if (unsigned) return unsigned
  const poll = await context.deviceCodes.poll(code, asked.client.id)
  return poll.status === 'allowed' ? give(context, asked, poll) : refusals[poll.status]
}

const refusals: Readonly<Record<Exclude<DevicePoll['status'], 'allowed'>, Refusal>> = {
  pending: refuse('authorization_pending', 'The user has not answered yet. Continue polling.'),
  'too-soon': refuse('slow_down', 'The device polls too often. Increase the polling interval.'),
  denied: refuse('access_denied', 'The user denied the request.'),
  expired: refuse('expired_token', 'The device code is expired or already used.'),
  unknown: refuse('invalid_grant', 'The device code is invalid or was issued to another client.'),
}

async function give(
  context: ServerContext,
  { form, client, keyBinding }: TokenRequest,
  { request, approval }: DevicePoll & { readonly status: 'allowed' },
): Promise<Granted | Refusal> {
  const audience = readAudience(context, form, request.resources)
  if (!audience.ok) return audience
  const scopes = scopesNow(context, client, request.scopes)
  const issued = await context.refreshTokens.issue(
    newFamily(context, client.id, keyBinding, { ...approval, ...request, scopes }),
  )
  const { family } = issued
  if (!(await mayGoOut(context, family))) {
    await context.refreshTokens.revoke(family.key)
    return refuse('expired_token', 'The authorization was revoked.')
  }
  const refreshToken = isRefreshable(scopes) ? issued.token : null
  // The session of the user's browser is not a session of the device.
  const idToken = { sessionKey: null }
  return { ok: true, family, refreshToken, scopes, audience: audience.audience, idToken }
}
