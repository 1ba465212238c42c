/** The usage of a thread, as its operating system counts it. */
export interface ThreadUsage {
  /** For how many milliseconds the thread has computed. */
  readonly computedMs: number
  /** How often its process has read from a disk or written to one: a thread that waits for a disk does not compute. */
  readonly diskAccesses: number
}

/** Functions of Node.js from 22.15 on, which other runtimes may lack. */
declare const process: {
  threadCpuUsage?(): { readonly user: number; readonly system: number }
  resourceUsage?(): { readonly fsRead: number; readonly fsWrite: number; readonly majorPageFault: number }
}

/** Returns a reader of this thread's usage; `null` if the runtime does not report it. */
export function findThreadUsage(): (() => ThreadUsage) | null {
  if (typeof process === 'undefined') return null
  const { threadCpuUsage, resourceUsage } = process
  if (!threadCpuUsage || !resourceUsage) return null
  const read = (): ThreadUsage => {
    // First: on Linux it brings what is known of this thread up to date, which is otherwise as old as its last tick, up to 10 ms.
    const { fsRead, fsWrite, majorPageFault } = resourceUsage()
    const { user, system } = threadCpuUsage()
    return { computedMs: (user + system) / 1_000, diskAccesses: fsRead + fsWrite + majorPageFault }
  }
  try {
    // Where there are only the names of it, it throws, or nothing was ever computed.
    return read().computedMs > 0 ? read : null
  } catch {
    return null
  }
}
