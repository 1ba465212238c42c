import { type Access, createSubscriptions } from '@latchkey/graphql'
import type { AnyPolicy } from '@latchkey/rbac'
import { namedByPath } from '../../options/named-by-path.ts'
import type { FlatOptions } from '../../options/server/flat-options.ts'

/**
 * Checks the limits before the service opens.
 *
 * @throws TypeError that names an unknown or unusable limit.
 */
export function checkStreamLimits(
  { streamLimits: limits }: Pick<FlatOptions, 'streamLimits'>,
  access: Access<AnyPolicy>,
): void {
  if (limits === undefined) return
  const identify = { read: async () => ({ credential: null, identity: null }) }
  namedByPath({ limits: 'graphql.streamLimits' }, () => createSubscriptions({ access, identify, limits }))
}
