import { pause } from '@latchkey/core/internal'
import type { DocumentStore } from '@latchkey/store'
import { createCollection, defineStoredShape, isStoredCount, isStoredText } from '@latchkey/store/internal'
import type { AccountStore, StoredAccount } from './account-store.ts'

/** An account at the epoch from which it may stop being an administrator. */
interface Claim {
  readonly accountId: string
  readonly epoch: number
}

const shape = defineStoredShape<Claim>({
  name: 'claim of a removal',
  members: { accountId: isStoredText, epoch: isStoredCount },
})

/** One document, so all claims meet. */
const id = 'latest'

/** Milliseconds. A removal makes few calls after its claim, and stores may be slow. */
const waits = [4, 16, 64, 256] as const

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

  async function settle({ accountId, epoch }: Claim): Promise<void> {
    for (const ms of waits) {
      if ((await accounts.get(accountId))?.epoch !== epoch) return
      await pause(ms)
    }
    await accounts.replace(accountId, { epoch }, { epoch: epoch + 1 })
  }

  return {
    async claim({ id: accountId, epoch }, check) {
      await claims.put(id, null, async (latest) => {
        const isOwn = latest?.value.accountId === accountId && latest.value.epoch === epoch
        if (latest && !isOwn) await settle(latest.value)
        await check()
        return { accountId, epoch }
      })
    },
  }
}
