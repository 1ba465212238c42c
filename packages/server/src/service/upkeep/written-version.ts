import { every } from '@latchkey/core/internal'
import type { DocumentStore } from '@latchkey/store'
import { storedVersion } from '@latchkey/store/internal'
import { openStoredVersion } from './stored-version.ts'

/** The version in which this process writes stored values. */
export interface WrittenVersion {
  current(): number
  /** Stops looking for a later one. */
  stop(): void
}

/** How soon after `latchkey migrate --finish` an open service writes the new version. */
const intervalMs = 60_000

/**
 * Reads the version of the stores, and follows a later version while the service is open. If it cannot be read, the
 * previous version is used, which every process can read.
 */
export async function watchWrittenVersion(documents: DocumentStore): Promise<WrittenVersion> {
  const stored = openStoredVersion(documents)
  let current = await stored.read()
  const timer = every(intervalMs, () => {
    stored.read().then(
      (version) => {
        current = Math.max(current, version)
        if (current >= storedVersion) timer.stop()
      },
      () => undefined,
    )
  })
  if (current >= storedVersion) timer.stop()
  return { current: () => current, stop: timer.stop }
}
