import { type Access, createSubscriptions } from '@latchkey/graphql'
import type { AnyPolicy } from '@latchkey/rbac'
import type { FlatOptions } from '../../options/flat-options.ts'
import { namedByPath } from '../../settings/named-by-path.ts'

/**
 * Judges the limits before the service opens.
 *
 * @throws TypeError that names the limit that is unknown or cannot be used.
 */
export function checkStreamLimits(
  { streamLimits: limits }: Pick<FlatOptions, 'streamLimits'>,
  access: Access<AnyPolicy>,
): void {
  if (limits === undefined) return
  const identify = { read: async () => ({ credential: null, identity: null }) }
  namedByPath({ limits: 'graphql.streamLimits' }, () => createSubscriptions({ access, identify, limits }))
}
