import type { AuditStore } from '@latchkey/store'
import type { AuditChain } from '@latchkey/store/internal'

const chainsPerPage = 500

/** Returns all chains. Each is one run of a process, so that there are few beside their rows. */
export async function readChains(store: AuditStore): Promise<readonly AuditChain[]> {
  const chains: AuditChain[] = []
  for (;;) {
    const page = await store.listChains({ after: chains.at(-1)?.chain ?? null, limit: chainsPerPage })
    chains.push(...page)
    if (page.length < chainsPerPage) return chains
  }
}
