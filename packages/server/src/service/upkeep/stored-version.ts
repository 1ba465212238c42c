import type { DocumentStore } from '@latchkey/store'
import { createCollection, defineStoredShape, isStoredCount, storedVersion } from '@latchkey/store/internal'

/**
 * The version in which stored values may be written: a number of all processes on these stores, which only rises. Processes
 * of an older and of a newer release share them during an upgrade; the newer ones read both versions, and write the older
 * one until it is raised.
 */
export interface StoredVersion {
  /** Returns the version. New stores get the version of this release. */
  read(): Promise<number>
  /** Raises the version, and returns the stored version. It is never lowered. */
  raise(version: number): Promise<number>
}

interface Setting {
  readonly version: number
}

const shape = defineStoredShape<Setting>({ name: 'version of stored values', members: { version: isStoredCount } })

export function openStoredVersion(documents: DocumentStore): StoredVersion {
  // Always written in version 0, so that every release can read it.
  const settings = createCollection({ documents, name: 'settings', shape, storedVersion: () => 0 })
  async function raise(version: number, isNew: (stored: number) => boolean): Promise<number> {
    let written = version
    await settings.put('stored-version', null, (current) => {
      const stored = current?.value.version
      written = stored !== undefined && !isNew(stored) ? stored : version
      return written === stored ? null : { ...current?.value, version }
    })
    return written
  }
  return {
    read: () => raise(storedVersion, () => false),
    raise: (version) => raise(version, (stored) => stored < version),
  }
}
