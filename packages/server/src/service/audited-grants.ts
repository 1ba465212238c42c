import type { GrantStore } from '@latchkey/store'
import type { ServiceAudit } from './service-audit.ts'

/**
 * Returns the store with what accounts allow clients in the audit log: each change is written before it and after it. Its
 * events are those of the authorization server.
 */
export function auditGrants(grants: GrantStore, trail: ServiceAudit['trail']): GrantStore {
  async function audited(
    type: 'grant.given' | 'grant.revoked',
    { accountId, clientId, id }: { readonly accountId: string; readonly clientId: string; readonly id: string },
    change: () => Promise<boolean>,
  ): Promise<boolean> {
    const step = trail.plan({ type, accountId, clientId, grantId: id })
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
