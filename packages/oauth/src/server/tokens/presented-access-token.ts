import type { HttpRequest } from '@latchkey/http'
import { bindingRefusal, challengesOf, type PresentedRefusal, readPresented } from '../../resource/presented-token.ts'
import type { ServerContext } from '../context/server-context.ts'
import { type ActiveToken, readLivingToken } from '../issuing/access-tokens.ts'

/** The verdict on the `Authorization` header of a request to a resource of this server. */
export type PresentedVerdict =
  | ({ readonly ok: true } & ActiveToken)
  | {
      readonly ok: false
      readonly reason: PresentedRefusal
      /** The values of `WWW-Authenticate` for the 401. */
      readonly challenges: readonly string[]
    }

export interface PresentedOptions {
  /** The resource that the token must be for; omitted: any of the server. */
  readonly resource?: string
  /** A further parameter of each challenge, such as `resource_metadata="…"` (RFC 9728 §5.1). */
  readonly challengeParameter?: string
}

/**
 * Returns the access token of a request while all goes on that it was given for: a bound one as `DPoP` with a proof for this
 * request, which is used up, any other as `Bearer`.
 */
export async function readPresentedToken(
  context: ServerContext,
  request: Pick<HttpRequest, 'method' | 'target' | 'headers'>,
  { resource, challengeParameter = '' }: PresentedOptions = {},
): Promise<PresentedVerdict> {
  const refuse = (reason: PresentedRefusal): PresentedVerdict => {
    return { ok: false, reason, challenges: challengesOf(reason, { more: challengeParameter }) }
  }
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
