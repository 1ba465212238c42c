import type { SecretKeys } from '@latchkey/bytes'
import type { DenyList, StoredKeyRing } from '@latchkey/jwt'
import { createPasswordHasher, type PasswordHasher } from '@latchkey/password'
import type { AnyPolicy, OpenRoles } from '@latchkey/rbac'
import type { Sessions } from '@latchkey/sessions'
import { openChangingRoles } from '../options/server/changing-roles.ts'
import { createSecondFactors, type SecondFactors } from '../options/server/second-factors.ts'
import type { ServicePlan } from './plan/service-plan.ts'
import { createServiceDenyList, createServiceSessions } from './service-accounts.ts'
import { openServiceAudit, type ServiceAudit } from './service-audit.ts'
import { openSigningKeys } from './signing-keys.ts'
import { type WrittenVersion, watchWrittenVersion } from './upkeep/written-version.ts'

/** The parts that the accounts and the authorization server of an open service use. */
export interface ServiceFoundations {
  readonly secrets: SecretKeys
  readonly keys: StoredKeyRing
  /** Changing roles; `null` if only the policy has roles. */
  readonly roles: OpenRoles<AnyPolicy> | null
  readonly passwords: PasswordHasher
  readonly written: WrittenVersion
  readonly sessions: Sessions
  readonly denyList: DenyList
  readonly secondFactors: SecondFactors
  readonly audit: ServiceAudit
}

/** Reads the secrets and opens what is kept in stores, once these have answered. */
export async function openFoundations(plan: ServicePlan): Promise<ServiceFoundations> {
  const { options, base, now, refusedOrigins } = plan
  await options.stores.check?.()
  const secrets = await options.secrets.load()
  const written = await watchWrittenVersion(options.stores.documents)
  const keys = await openSigningKeys(plan, secrets, written.current)
  const roles = await openChangingRoles({ ...plan, storedVersion: written.current })
  const passwords = options.passwords ?? createServiceHasher(plan)
  return {
    secrets,
    keys,
    roles,
    passwords,
    written,
    sessions: createServiceSessions(plan, written.current),
    denyList: createServiceDenyList(plan, written.current),
    secondFactors: createSecondFactors(options, { base, secrets, now, storedVersion: written.current, refusedOrigins }),
    audit: openServiceAudit(plan, secrets),
  }
}

function createServiceHasher({ now, measuring }: ServicePlan): PasswordHasher {
  return createPasswordHasher({ now, ...(measuring && { onMeasurement: measuring.report }) })
}
