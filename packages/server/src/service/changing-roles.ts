import { type AnyPolicy, type OpenRoles, openRoles } from '@latchkey/rbac'
import { createFailedEvent } from '../settings/server-event.ts'
import type { ServiceFoundation } from './service-foundation.ts'

/** Reads the roles of the store where there is one. `null`: those of the policy are all there are. */
export async function openChangingRoles(foundation: ServiceFoundation): Promise<OpenRoles<AnyPolicy> | null> {
  const { options, policy, announce, now } = foundation
  if (!options.roles) return null
  const { store, maxStalenessSeconds = 0 } = options.roles
  const onRefused = (cause: unknown): void =>
    announce(createFailedEvent({ type: 'service-failed', at: now(), during: 'roles', cause }))
  return openRoles({ policy, store, maxStalenessSeconds, onRefused, now })
}
