import type { DocumentStore, StoredDocument } from '@latchkey/store'
import { createCollection, defineStoredShape, isStoredCount } from '@latchkey/store/internal'

/** The denied tokens and sessions in a document store. */
export interface StoredDenials {
  /**
   * Denies an id at least until a time, in epoch milliseconds. Of several times the latest applies, in any order of the
   * calls.
   */
  deny(id: string, until: number): Promise<void>
  /**
   * Returns whether one of the ids is denied. After its time an id may be denied or not: its token has expired by then.
   */
  isAnyDenied(ids: readonly string[]): Promise<boolean>
}

interface Denial {
  /** Epoch milliseconds. */
  readonly until: number
}

const collection = 'denials'
const shape = defineStoredShape<Denial>({ name: 'denial', members: { until: isStoredCount } })

/** How many denials are looked at with every new one, so that those whose time has come do not accumulate. */
const sweptPerDenial = 8

export interface StoredDenialsOptions {
  readonly documents: DocumentStore
  readonly now: () => number
  readonly storedVersion: () => number
}

export function openStoredDenials({ documents, now, storedVersion }: StoredDenialsOptions): StoredDenials {
  const denials = createCollection({ documents, name: collection, shape, storedVersion })
  let page: { readonly cursor?: string } = {}

  /** False for a denial that cannot be read: it stays. */
  function hasEnded({ value }: StoredDocument): boolean {
    try {
      return shape.parse(value).until <= now()
    } catch {
      return false
    }
  }

  async function sweepSome(): Promise<void> {
    const { items, ...next } = await documents.list(collection, { ...page, limit: sweptPerDenial })
    page = next
    const ended = items.filter(hasEnded)
    // One that was extended meanwhile has another version.
    await Promise.all(ended.map((denial) => denials.removeVersion(denial)))
  }

  return {
    async deny(id, until) {
      // Most ids are new. One that exists may be removed before it is changed.
      const inserted = await denials.insert(id, null, { until })
      if (!inserted) {
        await denials.put(id, null, (current) =>
          current && current.value.until >= until ? null : { ...current?.value, until },
        )
      }
      // The denial is stored, whatever becomes of others.
      await sweepSome().catch(() => {
        page = {}
      })
    },
    // One that exists is denied, even if its value cannot be read: it was written to deny.
    isAnyDenied: async (ids) =>
      (await Promise.all(ids.map((id) => denials.ownerOf(id)))).some((owner) => owner !== undefined),
  }
}
