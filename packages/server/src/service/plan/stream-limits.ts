import { type Access, createSubscriptions } from '@latchkey/graphql'
import type { AnyPolicy } from '@latchkey/rbac'
import type { ServiceOptions } from '../../options/server-options.ts'

/**
 * Judges the limits before the service opens.
 *
 * @throws TypeError that names the limit that is unknown or cannot be used.
 */
export function checkStreamLimits(
  { streamLimits: limits }: Pick<ServiceOptions<AnyPolicy>, 'streamLimits'>,
  access: Access<AnyPolicy>,
): void {
  if (limits === undefined) return
  const identify = { read: async () => ({ credential: null, identity: null }) }
  try {
    createSubscriptions({ access, identify, limits })
  } catch (cause) {
    throw new TypeError(`"streamLimits": ${cause instanceof Error ? cause.message : 'they cannot be used'}`, { cause })
  }
}
