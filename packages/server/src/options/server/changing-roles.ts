import { checkOptionNames, describeFailure, type Emit } from '@latchkey/core/internal'
import { type AnyPolicy, type OpenRoles, openRoles } from '@latchkey/rbac'
import type { ServerEvent } from '../observe/server-event.ts'
import type { FlatOptions } from './flat-options.ts'

type Options = Pick<FlatOptions, 'roles' | 'stores'>

/** @throws TypeError that names what cannot be used. */
export function checkChangingRoles({ roles = {} }: Pick<FlatOptions, 'roles'>): void {
  const names = { maxStalenessSeconds: true } as const
  const { maxStalenessSeconds = 0 } = checkOptionNames('createServer', roles, names, 'accounts.changingRoles')
  if (!Number.isFinite(maxStalenessSeconds) || maxStalenessSeconds < 0) {
    throw new TypeError('"accounts.changingRoles.maxStalenessSeconds" must be a number of seconds, at least 0')
  }
}

interface ChangingRolesParts {
  readonly options: Options
  readonly policy: AnyPolicy
  readonly emit: Emit<Extract<ServerEvent, { type: 'service.failed' }>>
  readonly now: () => number
  /** The version of stored values to write. */
  readonly storedVersion: () => number
}

/** Reads the roles of the store, if they may change. `null`: the roles of the policy are all there are. */
export async function openChangingRoles(parts: ChangingRolesParts): Promise<OpenRoles<AnyPolicy> | null> {
  const { options, policy, emit, now, storedVersion } = parts
  const { documents } = options.stores
  if (!options.roles) return null
  const { maxStalenessSeconds = 0 } = options.roles
  const onRefused = (cause: unknown): void =>
    emit({ type: 'service.failed', during: 'roles', failure: describeFailure(cause), cause })
  return openRoles({ policy, documents, maxStalenessSeconds, onRefused, now, storedVersion })
}
