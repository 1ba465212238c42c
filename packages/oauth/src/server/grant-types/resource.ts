import type { ServerContext } from '../context/server-context.ts'
import type { Parameters } from '../parameters/parameters.ts'
import { type Refusal, refuse } from '../responses/refusal.ts'

/**
 * Returns the resource that a token is for (RFC 8707 §2.2): the one that the request names, else the first one that was
 * agreed on, else the service's own. A token is for one resource: one for several could be used by each at the others.
 *
 * @param agreed the resources that were agreed on; empty: the service's own.
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
