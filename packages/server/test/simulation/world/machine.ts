import { AsyncLocalStorage } from 'node:async_hooks'

/** A process of the service: what runs in it is found by its asynchronous context. */
export interface Machine {
  readonly name: string
  /** Milliseconds by which its clock is ahead of the time of the world. */
  skewMs: number
  /** So many of its next calls of stores fail. */
  failing: number
  /** Until then no store answers it, in epoch milliseconds. */
  silentUntil: number
  /** For how many milliseconds it could do nothing but wait for a timer. */
  idleMs: number
  /** How often a store call failed or had no answer, or the process was slow while something waited for it. */
  troubles: number
  /** It is killed in the next move. */
  isDoomed: boolean
  /** From then on nothing that runs in it is continued. */
  isKilled: boolean
}

export function createMachine(name: string): Machine {
  return { name, skewMs: 0, failing: 0, silentUntil: 0, idleMs: 0, troubles: 0, isDoomed: false, isKilled: false }
}

const context = new AsyncLocalStorage<Machine>()

/** Runs the work in the machine. */
export function runIn<T>(machine: Machine, work: () => T): T {
  return context.run(machine, work)
}

/** Returns the machine that the caller runs in; undefined outside the world. */
export function currentMachine(): Machine | undefined {
  return context.getStore()
}
