import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Cores of the machine, by their numbers. */
export interface Cores {
  /** The cores of the load, and the core of the servers. */
  readonly load: readonly number[]
  readonly servers: readonly number[]
}

/** The cores that this process may use before it is pinned. */
const machine = divide(allowedCores())

/**
 * Reserves a core for the measured servers: all threads of this process, which sends the load, use the others, and so
 * do its later child processes, for example a database.
 *
 * @returns `null` if it is impossible: with one core, or without `taskset` (util-linux).
 */
export function pinLoad(): Cores | null {
  return machine && pin(process.pid, machine.load) ? machine : null
}

/**
 * Pins the measured servers to their core, and this process to the others: on a shared core the load would interrupt
 * the servers after each answer, and a server that is interrupted more often would look slower.
 *
 * @returns `null` if it is impossible, as for {@link pinLoad}.
 */
export function pinServers(servers: readonly number[]): Cores | null {
  const cores = pinLoad()
  return cores && servers.every((pid) => pin(pid, cores.servers)) ? cores : null
}

/** Divides cores: the last core is for the servers, which run in turns. */
export function divide(cores: readonly number[]): Cores | null {
  return cores.length < 2 ? null : { load: cores.slice(0, -1), servers: cores.slice(-1) }
}

/** Returns the cores of a list in Linux's notation, for example `0-2,5`. */
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
