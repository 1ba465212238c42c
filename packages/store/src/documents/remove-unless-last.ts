import { randomToken } from '@latchkey/bytes'
import type { DocumentStore, StoredDocument } from '../document-store.ts'
import { overtaken, untilFirst } from './until-first.ts'

/** A document to remove, and the others of which one must stay. */
export interface Removal {
  /** `null`: it is absent. */
  readonly current: StoredDocument | null
  /** `null`: none has to stay. */
  readonly others: readonly StoredDocument[] | null
}

/**
 * Removes a document while another document stays, under any concurrency. Each caller first replaces another document
 * by its own value with a new version: a caller that wanted to remove that document has read its old version, and
 * starts again.
 *
 * @param read returns the current documents. It is called again after each lost round.
 * @throws StoreError `STORE_UNAVAILABLE` if others keep changing the documents.
 */
export function removeUnlessLast(
  documents: Pick<DocumentStore, 'replace' | 'remove'>,
  read: () => Promise<Removal>,
): Promise<'removed' | 'absent' | 'last'> {
  return untilFirst(async () => {
    const { current, others } = await read()
    if (current === null) return 'absent'
    if (others?.length === 0) return 'last'
    const isKept = others === null || (await keepOne(documents, others))
    return isKept && (await documents.remove(current)) ? 'removed' : overtaken
  })
}

async function keepOne(
  documents: Pick<DocumentStore, 'replace'>,
  [other]: readonly StoredDocument[],
): Promise<boolean> {
  return other !== undefined && documents.replace(other, { version: randomToken(16), value: other.value })
}
