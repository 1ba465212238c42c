import { every } from '@latchkey/core/internal'
import { storedVersion, type VersionStore } from '@latchkey/store'

/** The version in which this process writes stored values. */
export interface WrittenVersion {
  current(): number
  /** Stops looking for a later one. */
  stop(): void
}

/** How soon after `latchkey migrate --finish` an open service writes the new version. */
const intervalMs = 60_000

/**
 * Reads the version of the stores and looks for a later one while the service is open. What cannot be read changes
 * nothing: the version before is read by every process. Stores without a version have no other release beside them.
 */
export async function watchWrittenVersion(versions: VersionStore | undefined): Promise<WrittenVersion> {
  if (!versions) return { current: () => storedVersion, stop: () => undefined }
  let current = await versions.get()
  const timer = every(intervalMs, () => {
    versions.get().then(
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
