import { pause } from '@latchkey/core/internal'
import type { DocumentStore } from '@latchkey/store'
import { createCollection, defineStoredShape, isStoredCount, isStoredText } from '@latchkey/store/internal'
import type { AccountStore, StoredAccount } from './account-store.ts'

/** An account at the epoch from which it may stop being an administrator. */
interface Claim {
  readonly accountId: string
  readonly epoch: number
  /** How many claims before it made no progress: the next removal waits longer, because the stores may be slow. */
  readonly stalled: number
}

const shape = defineStoredShape<Claim>({
  name: 'claim of a removal',
  members: { accountId: isStoredText, epoch: isStoredCount, stalled: isStoredCount },
})

/** One document, so all claims meet. */
const id = 'latest'

/** Milliseconds. A removal makes few calls after its claim. */
const waits = [2, 8, 32] as const
const doublingsAtMost = 3

/**
 * Lets one removal of an administrator follow another. A removal writes its claim by one swap, then swaps the account
 * from the claimed epoch. The next claim is written only when the account of the last claim has left that epoch. So
 * the administrators whom a claim has counted remain until its removal is made, or can no longer be made.
 */
export interface AdministratorRemovals {
  /**
   * Claims the removal of an administrator from its epoch. A claim of another process that makes no progress, perhaps
   * because that process was killed, is invalidated by the next epoch of its account, which revokes the account's
   * sessions.
   *
   * @param check throws unless another administrator exists. It may be called several times.
   */
  claim(account: Pick<StoredAccount, 'id' | 'epoch'>, check: () => Promise<void>): Promise<void>
}

export interface AdministratorRemovalsOptions {
  readonly accounts: AccountStore
  readonly documents: DocumentStore
  /** The version of stored values to write. */
  readonly storedVersion: () => number
}

export function createAdministratorRemovals(options: AdministratorRemovalsOptions): AdministratorRemovals {
  const { accounts, documents, storedVersion } = options
  const claims = createCollection({ documents, name: 'administrator-removal', shape, storedVersion })

  /** Returns how many claims have made no progress. */
  async function settle({ accountId, epoch, stalled }: Claim): Promise<number> {
    for (const ms of waits) {
      if ((await accounts.get(accountId))?.epoch !== epoch) return Math.max(stalled - 1, 0)
      await pause(ms * 2 ** stalled)
    }
    await accounts.replace(accountId, { epoch }, { epoch: epoch + 1 })
    return Math.min(stalled + 1, doublingsAtMost)
  }

  return {
    async claim({ id: accountId, epoch }, check) {
      await claims.put(id, null, async (latest) => {
        const isOwn = latest?.value.accountId === accountId && latest.value.epoch === epoch
        const stalled = latest && !isOwn ? await settle(latest.value) : (latest?.value.stalled ?? 0)
        await check()
        return { accountId, epoch, stalled }
      })
    },
  }
}
