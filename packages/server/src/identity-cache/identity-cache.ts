import type { AccountStore, IdentityReads } from '@latchkey/accounts'
import { checkOptionNames, pause, within } from '@latchkey/core/internal'
import type { Broadcast, DocumentStore, RecordStore } from '@latchkey/store'
import { type Announce, announceAccounts, announceDenials, announceRecords } from './announced-stores.ts'
import { createKeptIdentities, type KeptIdentities } from './kept-identities.ts'

/** Spares reads of sessions and accounts, at the price that an end of one may be noticed later. */
export interface IdentityCacheOptions {
  /**
   * The time, in seconds, for which an account's status, epoch and roles, its session and its token's denial are
   * reused, at most 60. 0: every request reads them.
   *
   * A revocation takes effect at once in the process that makes it, and in other processes of the service on its
   * message. If the message is lost, or another program changes the database, it takes effect after this time at the
   * latest.
   * @default 0
   */
  readonly maxStalenessSeconds?: number
  /**
   * Announces changes to every process of the service: `createPostgresBroadcast` of `@latchkey/sql`. Close it after the
   * server. As long as it cannot listen, every request reads.
   */
  readonly broadcast: Broadcast
}

/** The used part of the stores of a service. */
export interface CacheableStores {
  readonly records: RecordStore
  readonly accounts: AccountStore
  readonly documents: DocumentStore
}

/** The stores of a service, and the listener that follows their changes. */
export interface IdentityCache<Stores extends CacheableStores = CacheableStores> {
  readonly stores: Stores
  stop(): void
}

const topic = 'latchkey-identities'
const optionNames = { maxStalenessSeconds: true, broadcast: true } as const
const keptAtMost = 10_000
/** A change waits no longer for the broadcast than for a store. */
const publishMs = 250
/** Between two attempts to listen. */
const listenAgainMs = 1000

/** @throws TypeError that names what is missing or cannot be used. */
export function checkIdentityCache(cache: IdentityCacheOptions | undefined, stores: CacheableStores): void {
  if (cache === undefined) return
  const { maxStalenessSeconds = 0, broadcast } = checkOptionNames('createServer', cache, optionNames, 'sessions.cache')
  if (!(typeof maxStalenessSeconds === 'number' && maxStalenessSeconds >= 0 && maxStalenessSeconds <= 60)) {
    throw new TypeError('"sessions.cache.maxStalenessSeconds" must be a number of seconds from 0 to 60')
  }
  if (typeof broadcast?.listen !== 'function') throw new TypeError('"sessions.cache.broadcast" must be a broadcast')
  const { records, accounts } = stores
  if (accounts.identities?.records !== records)
    throw new TypeError('"sessions.cache" needs "stores.accounts.identities", which reads "stores.records"')
}

/** Returns the stores unchanged if the cache is off. */
export function openIdentityCache<Stores extends CacheableStores>(
  cache: IdentityCacheOptions | undefined,
  stores: Stores,
): IdentityCache<Stores> {
  const { maxStalenessSeconds = 0, broadcast } = cache ?? {}
  const { identities } = stores.accounts
  if (!broadcast || !identities || maxStalenessSeconds === 0) return { stores, stop: () => undefined }
  const now = () => stores.records.now()
  const kept = createKeptIdentities({ maxStalenessMs: maxStalenessSeconds * 1000, max: keptAtMost, now })
  const announce: Announce = async (name) => {
    kept.drop(name)
    // The change is made: a process that does not hear of it notices it when its time is over.
    const published = (async () => broadcast.publish(topic, name))()
    await within(publishMs, published, () => new Error('the broadcast did not answer')).catch(() => undefined)
  }
  const changes = followChanges(broadcast, kept)
  const records = announceRecords(stores.records, announce)
  const documents = announceDenials(stores.documents, announce)
  // A reader of the same documents reads the announcing documents instead.
  const ofReader = identities.documents === stores.documents ? documents : identities.documents
  const read = keepIdentities(identities, kept, changes.isHeard)
  const cached = { records, documents: ofReader, read }
  return {
    stores: {
      ...stores,
      records,
      accounts: announceAccounts(stores.accounts, announce, cached),
      documents,
    },
    stop: changes.stop,
  }
}

function keepIdentities(
  identities: IdentityReads,
  kept: KeptIdentities,
  isHeard: () => boolean,
): IdentityReads['read'] {
  return async (key, denialIds = []) => {
    if (!isHeard()) return identities.read(key, denialIds)
    const known = kept.get(key, denialIds)
    if (known) return known
    const keep = kept.begin()
    const found = await identities.read(key, denialIds)
    if (found) keep(key, denialIds, found)
    return found
  }
}

/** Listens until it is stopped. Clears the cache when it starts, because earlier changes may have been missed. */
function followChanges(broadcast: Broadcast, kept: KeptIdentities): { isHeard(): boolean; stop(): void } {
  let isHeard = false
  let isStopped = false
  let messages: AsyncIterableIterator<string> | null = null

  async function listen(): Promise<void> {
    messages = await broadcast.listen(topic)
    if (isStopped) return void (await messages.return?.())
    kept.clear()
    isHeard = true
    for await (const name of messages) kept.drop(name)
  }

  async function follow(): Promise<void> {
    while (!isStopped) {
      await listen().catch(() => undefined)
      isHeard = false
      kept.clear()
      if (!isStopped) await pause(listenAgainMs)
    }
  }

  void follow()
  return {
    isHeard: () => isHeard,
    stop() {
      isStopped = true
      isHeard = false
      void messages?.return?.()
    },
  }
}
