import type { AuditStore } from '@latchkey/store'
import type { AuditChain } from '@latchkey/store/internal'

const chainsPerPage = 500

/** Returns all chains. Each process writes one chain per run, so there are far fewer chains than rows. */
export async function readChains(store: AuditStore): Promise<readonly AuditChain[]> {
  const chains: AuditChain[] = []
  for (;;) {
    const page = await store.listChains({ after: chains.at(-1)?.chain ?? null, limit: chainsPerPage })
    chains.push(...page)
    if (page.length < chainsPerPage) return chains
  }
}
