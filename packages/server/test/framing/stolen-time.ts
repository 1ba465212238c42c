import { readFileSync } from 'node:fs'

/**
 * Begins to measure for how long the main threads of processes wait for a processor, which other work of the machine has
 * meanwhile. What it returns gives the milliseconds since then, of the process that has waited longest: some wait at the same
 * time. Where the system does not tell, they are 0.
 */
export function watchStolenTime(pids: readonly number[]): () => number {
  const before = pids.map(stolenOf)
  return () => Math.max(...pids.map((pid, index) => stolenOf(pid) - (before[index] ?? 0)), 0)
}

/** Since the beginning of the process. */
function stolenOf(pid: number): number {
  try {
    const [, waitedNs] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')
    return Number(waitedNs ?? 0) / 1e6
  } catch {
    return 0
  }
}
