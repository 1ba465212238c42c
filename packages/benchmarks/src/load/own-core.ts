import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Cores of the machine, by their numbers. */
export interface Cores {
  /** What asks has all others. */
  readonly load: readonly number[]
  readonly servers: readonly number[]
}

/** What this process may use, before it is pinned. */
const machine = divide(allowedCores())

/**
 * Leaves the measured servers a core of their own: all threads of this process, which asks them, have the others, and so has
 * what it starts later, such as a database.
 *
 * @returns `null` where it is impossible: with one core, or where there is no `taskset` (util-linux).
 */
export function pinLoad(): Cores | null {
  return machine && pin(process.pid, machine.load) ? machine : null
}

/**
 * Pins the measured servers to their core, and this process to the others: on a shared core the load takes it away after each
 * answer, and a server that is interrupted more often would look slower.
 *
 * @returns `null` where it is impossible, as for {@link pinLoad}.
 */
export function pinServers(servers: readonly number[]): Cores | null {
  const cores = pinLoad()
  return cores && servers.every((pid) => pin(pid, cores.servers)) ? cores : null
}

/** Divides cores: the last one is for the servers, which have their turns one after the other. */
export function divide(cores: readonly number[]): Cores | null {
  return cores.length < 2 ? null : { load: cores.slice(0, -1), servers: cores.slice(-1) }
}

/** Returns the cores of a list as Linux writes them, such as `0-2,5`. */
export function readCores(list: string): readonly number[] {
  return list.split(',').flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_core, index) => first + index)
  })
}

function allowedCores(): readonly number[] {
  try {
    const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    return list === '' ? [] : readCores(list)
  } catch {
    return []
  }
}

function pin(pid: number, cores: readonly number[]): boolean {
  const words = ['--all-tasks', '--cpu-list', '--pid', cores.join(','), String(pid)]
  return spawnSync('taskset', words, { stdio: 'ignore' }).status === 0
}
