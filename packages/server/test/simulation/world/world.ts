import type { Choices } from './choices.ts'
import { currentMachine, type Machine, runIn } from './machine.ts'

/** Work that waits until the schedule picks it: a call of a store, a hash, a signature, a mail. */
export interface Waiting {
  readonly machine: Machine
  readonly label: string
  readonly proceed: () => void
  /** Absent if it cannot fail. */
  readonly fail?: () => void
}

export interface Timer {
  readonly machine: Machine
  readonly dueAt: number
  readonly order: number
  readonly everyMs: number | null
  readonly work: () => void
}

/** Time, timers and all work that waits, in one place. It runs nothing by itself. */
export interface World {
  readonly choices: Choices
  /** Epoch milliseconds, for all machines. */
  readonly now: () => number
  /** A choice point: resolves when the schedule picks it, and rejects with the error if it is picked to fail. */
  readonly wait: (label: string, failure?: () => Error) => Promise<void>
  readonly waiting: readonly Waiting[]
  /** Runs what waits at this place of the list. */
  readonly proceed: (index: number) => void
  readonly fail: (index: number) => void
  readonly setTimer: (milliseconds: number, work: () => void, repeats: boolean) => Timer
  readonly stopTimer: (timer: Timer) => void
  /** When the next timer is due; null: no timer is set. */
  readonly nextTimer: () => Timer | null
  /** Lets time pass up to the timer and runs it. */
  readonly fire: (timer: Timer) => void
  readonly pass: (milliseconds: number) => void
  /** Drops whatever the machine waits for. */
  readonly kill: (machine: Machine) => void
  /** What happened, a line each. */
  readonly diary: string[]
  readonly write: (line: string) => void
}

const startsAt = 1_800_000_000_000

export function createWorld(choices: Choices): World {
  let time = startsAt
  let order = 0
  let waiting: Waiting[] = []
  let timers: Timer[] = []
  const diary: string[] = []
  const write = (line: string): void => void diary.push(`${String(time - startsAt).padStart(9)} ${line}`)
  const take = (index: number): Waiting => {
    const [taken] = waiting.splice(index, 1)
    if (!taken) throw new Error('nothing waits there')
    return taken
  }
  return {
    choices,
    now: () => time,
    wait(label, failure) {
      const machine = currentMachine()
      if (!machine) throw new Error(`outside of any machine: ${label}`)
      if (machine.isKilled) return new Promise(() => undefined)
      return new Promise((resolve, reject) => {
        waiting.push({ machine, label, proceed: resolve, ...(failure && { fail: () => reject(failure()) }) })
      })
    },
    get waiting() {
      return waiting
    },
    proceed(index) {
      const { machine, label, proceed } = take(index)
      write(`${machine.name} ${label}`)
      proceed()
    },
    fail(index) {
      const { machine, label, fail } = take(index)
      write(`${machine.name} ${label} fails`)
      fail?.()
    },
    setTimer(milliseconds, work, repeats) {
      const machine = currentMachine()
      if (!machine) throw new Error('a timer outside of any machine')
      const delay = Math.max(1, milliseconds)
      const timer = { machine, dueAt: time + delay, order: order++, everyMs: repeats ? delay : null, work }
      if (!machine.isKilled) timers.push(timer)
      return timer
    },
    stopTimer(timer) {
      timers = timers.filter(({ order: other }) => other !== timer.order)
    },
    nextTimer: () =>
      timers.reduce<Timer | null>((first, timer) => (first && first.dueAt <= timer.dueAt ? first : timer), null),
    fire(timer) {
      time = Math.max(time, timer.dueAt)
      timers = timers.filter(({ order: other }) => other !== timer.order)
      if (timer.everyMs !== null) timers.push({ ...timer, dueAt: time + timer.everyMs })
      write(`${timer.machine.name} timer`)
      runIn(timer.machine, timer.work)
    },
    pass(milliseconds) {
      time += milliseconds
    },
    kill(machine) {
      machine.isKilled = true
      waiting = waiting.filter((point) => point.machine !== machine)
      timers = timers.filter((timer) => timer.machine !== machine)
      write(`${machine.name} is killed`)
    },
    diary,
    write,
  }
}
