import type { ServerContext } from '../context/server-context.ts'
import type { Parameters } from '../parameters/parameters.ts'
import { type Refusal, refuse } from '../responses/refusal.ts'

/**
 * Returns the audience of a token (RFC 8707 §2.2): the requested resource, otherwise the first resource of the consent,
 * otherwise the first resource of the server. A token has only one audience: with several, each could use it at the others.
 *
 * @param agreed the resources of the consent; empty: the first resource of the server.
 */
export function readAudience(
  { resources }: Pick<ServerContext, 'resources'>,
  form: Parameters,
  agreed: readonly string[],
): { readonly ok: true; readonly audience: string } | Refusal {
  const allowed = agreed.length > 0 ? agreed.filter((one) => resources.includes(one)) : resources.slice(0, 1)
  const [named, other] = form.all('resource')
  if (other !== undefined) return refuse('invalid_target', 'Only one "resource" can be requested for a token.')
  const audience = named === undefined ? allowed[0] : allowed.find((one) => one === named)
  if (audience === undefined) return refuse('invalid_target', '"resource" is not allowed for this token.')
  return { ok: true, audience }
}
