import type { HttpRequest } from '@latchkey/http'
import {
  bindingRefusal,
  type PresentedRefusal,
  readPresented,
  refusePresented,
} from '../../resource/presented-token.ts'
import type { AuthorizationServer } from '../context/authorization-server.ts'
import type { ServerContext } from '../context/server-context.ts'
import { readLivingToken } from '../issuing/access-tokens.ts'

type PresentedVerdict = Awaited<ReturnType<AuthorizationServer['readAccessToken']>>
type PresentedOptions = NonNullable<Parameters<AuthorizationServer['readAccessToken']>[1]>

/**
 * Returns the access token of a request, if the token, its client, family and consent are valid. A bound token needs the scheme
 * `DPoP` and a proof for this request, which can be used once; another token needs `Bearer`.
 */
export async function readPresentedToken(
  context: ServerContext,
  request: Pick<HttpRequest, 'method' | 'target' | 'headers'>,
  { resource, challengeParameter = '' }: PresentedOptions = {},
): Promise<PresentedVerdict> {
  const refuse = (reason: PresentedRefusal): PresentedVerdict => refusePresented(context, reason, challengeParameter)
  const presented = readPresented(request.headers.get('authorization') ?? null)
  if (presented === null) return refuse('missing')
  if (presented === 'invalid') return refuse('malformed')
  const living = await readLivingToken(context, presented.text)
  if (!living || (resource !== undefined && living.token.audience !== resource)) return refuse('token')
  const [path = ''] = request.target.split('?', 1)
  const { token } = living
  const refusal = await bindingRefusal(context, { presented, token }, { request, url: `${context.issuer}${path}` })
  return refusal ? refuse(refusal) : { ok: true, ...living }
}
