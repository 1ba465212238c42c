import type { TrailStep } from '@latchkey/accounts'
import type { GrantStore } from '@latchkey/store'
import type { AuthorizationEvent } from '../settings/events/authorization-event.ts'

type GrantEvent = Extract<AuthorizationEvent, { readonly type: 'grant.given' | 'grant.revoked' }>

/** What writes decisions into the audit log: a `AuditRecorder`. */
export interface GrantTrail {
  plan(intended: {
    readonly type: GrantEvent['type']
    readonly accountId: string
    readonly clientId: string
    readonly grantId: string
    readonly address: string | null
    readonly requestId: string | null
    readonly userAgent: string | null
  }): Pick<TrailStep<GrantEvent>, 'begin' | 'doneSilently' | 'failed'>
}

/** Where a change comes from. */
export type GrantOrigin = Pick<Parameters<GrantTrail['plan']>[0], 'address' | 'requestId' | 'userAgent'>

const unknownOrigin: GrantOrigin = { address: null, requestId: null, userAgent: null }

/**
 * Returns the store with what accounts allow clients in the audit log: each change is written before it and after it. Its
 * events are those of the authorization server.
 */
export function auditGrants(grants: GrantStore, trail: GrantTrail, origin: GrantOrigin = unknownOrigin): GrantStore {
  async function audited(
    type: 'grant.given' | 'grant.revoked',
    { accountId, clientId, id }: { readonly accountId: string; readonly clientId: string; readonly id: string },
    change: () => Promise<boolean>,
  ): Promise<boolean> {
    const step = trail.plan({ type, accountId, clientId, grantId: id, ...origin })
    await step.begin()
    const isDone = await change()
    await (isDone ? step.doneSilently() : step.failed())
    return isDone
  }

  return {
    get: (id) => grants.get(id),
    getByClient: (accountId, clientId) => grants.getByClient(accountId, clientId),
    listByAccount: (accountId) => grants.listByAccount(accountId),
    removeByAccount: (accountId) => grants.removeByAccount(accountId),
    insert: (grant) => audited('grant.given', grant, () => grants.insert(grant)),
    async replace(id, version, value) {
      const grant = await grants.get(id)
      return grant ? audited('grant.given', grant, () => grants.replace(id, version, value)) : false
    },
    async remove(id) {
      const grant = await grants.get(id)
      return grant ? audited('grant.revoked', grant, () => grants.remove(id)) : false
    },
  }
}
