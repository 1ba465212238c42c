import { type Access, createSubscriptions } from '@latchkey/graphql'
import type { AnyPolicy } from '@latchkey/rbac'
import { namedByPath } from '../../options/named-by-path.ts'
import type { FlatOptions } from '../../options/server/flat-options.ts'

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
