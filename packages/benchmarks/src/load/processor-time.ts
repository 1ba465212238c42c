import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { messageOf } from './fork-server.ts'

/**
 * Returns the processor time of all threads of a process, in microseconds, as counted by the scheduler, which takes no
 * time of the process. Without `/proc` the process itself answers `{ cpu }` to the message `cpu`.
 */
export async function processorMicroseconds(child: ChildProcess): Promise<number> {
  const counted = child.pid === undefined ? null : countedByScheduler(child.pid)
  if (counted !== null) return counted
  child.send('cpu')
  const { cpu } = await messageOf<{ cpu: NodeJS.CpuUsage }>(child)
  return cpu.user + cpu.system
}

function countedByScheduler(pid: number): number | null {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    return sumOfSchedstats(threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')))
  } catch {
    return null
  }
}

/** The first number of a `schedstat` is the time on a processor, in nanoseconds. */
export function sumOfSchedstats(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1000, 0)
}
