import type { Choices } from './choices.ts'
import { currentMachine, type Machine, runIn } from './machine.ts'

/** Work that waits until the schedule picks it: a call of a store, a hash, a signature, a mail. */
export interface Waiting {
  readonly machine: Machine
  readonly label: string
  readonly proceed: () => void
  /** Absent if it cannot fail. */
  readonly fail?: () => void
  /** What a store does at this call; absent if it has done it, or nothing. */
  readonly effect?: () => unknown
  /** Until when it has an effect, epoch milliseconds; absent: it is never without an answer. */
  readonly deadline?: number
  /** Whether its caller has been told that it failed, or was killed. */
  readonly isUnheard?: true
}

/** What may become of a call besides its answer. */
export interface Fate {
  readonly failure: () => Error
  readonly effect?: () => unknown
  /** How long it may take. Afterwards it fails, and has no effect any more. Absent: it is never without an answer. */
  readonly deadlineMs?: number
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
  readonly wait: (label: string, fate?: Fate) => Promise<void>
  readonly waiting: readonly Waiting[]
  /** Runs what waits at this place of the list. */
  readonly proceed: (index: number) => void
  /** Its caller is told at once; the effect may still come until the deadline of the call. */
  readonly fail: (index: number) => void
  /** Nobody answers, and at its deadline it fails; the effect may come until then. */
  readonly silence: (index: number) => void
  readonly setTimer: (milliseconds: number, work: () => void, repeats: boolean) => Timer
  readonly timers: () => readonly Timer[]
  readonly stopTimer: (timer: Timer) => void
  /** When the next timer is due; null: no timer is set. */
  readonly nextTimer: () => Timer | null
  /** Lets time pass up to the timer and runs it. */
  readonly fire: (timer: Timer) => void
  readonly pass: (milliseconds: number) => void
  /** Whether a call has failed or had no answer, or a machine was killed. */
  readonly hasTroubles: () => boolean
  /** Drops whatever the machine waits for. */
  readonly kill: (machine: Machine) => void
  /** Returns what happened, a line each. */
  readonly diary: () => readonly string[]
  readonly write: (line: string) => void
}

const startsAt = 1_800_000_000_000

export function createWorld(choices: Choices): World {
  let time = startsAt
  let order = 0
  let waiting: Waiting[] = []
  let timers: Timer[] = []
  let hasTroubles = false
  const lines: { readonly at: number; readonly line: string }[] = []
  const write = (line: string): void => void lines.push({ at: time - startsAt, line })
  const take = (index: number): Waiting => {
    const [taken] = waiting.splice(index, 1)
    if (!taken) throw new Error('nothing waits there')
    return taken
  }
  /** The effect of a call that nobody waits for comes in time or not at all. */
  const leave = ({ machine, label, effect, deadline = time }: Waiting, percent: number): void => {
    if (!effect || !choices.chance(percent)) return
    const wire = { ...machine, isKilled: false, isDoomed: false }
    const proceed = (): void => {
      if (time <= deadline) void runIn(wire, async () => effect()).catch(() => undefined)
    }
    waiting.push({ machine: wire, label: `${label} unheard`, isUnheard: true, proceed })
  }
  /** Those that wait for time alone. */
  const idleMachines = (): ReadonlySet<Machine> => {
    const idle = new Set(timers.map(({ machine }) => machine))
    for (const { machine } of waiting) idle.delete(machine)
    return idle
  }
  /** Whoever has work that waits is slow now. */
  const delay = (): void => {
    for (const { machine } of waiting) machine.troubles++
  }
  const waitsFor = ({ failure, effect, deadlineMs }: Fate, reject: (error: Error) => void) => ({
    fail: () => reject(failure()),
    ...(effect && { effect }),
    ...(deadlineMs !== undefined && { deadline: time + deadlineMs }),
  })
  const removeTimer = (timer: Timer): void => {
    const index = timers.findIndex(({ order: other }) => other === timer.order)
    if (index !== -1) timers.splice(index, 1)
  }
  const addTimer = (machine: Machine, delay: number, work: () => void, repeats: boolean): Timer => {
    const timer = { machine, dueAt: time + delay, order: order++, everyMs: repeats ? delay : null, work }
    if (!machine.isKilled) timers.push(timer)
    return timer
  }
  return {
    choices,
    now: () => time,
    wait(label, fate) {
      const machine = currentMachine()
      if (!machine) throw new Error(`outside of any machine: ${label}`)
      if (machine.isKilled) return new Promise(() => undefined)
      return new Promise((resolve, reject) => {
        waiting.push({ machine, label, proceed: resolve, ...(fate && waitsFor(fate, reject)) })
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
      const point = take(index)
      write(`${point.machine.name} ${point.label} fails`)
      point.machine.troubles++
      hasTroubles = true
      point.fail?.()
      leave(point, 30)
    },
    silence(index) {
      const point = take(index)
      const { machine, label, deadline = time, fail } = point
      write(`${machine.name} ${label} is not answered`)
      machine.troubles++
      hasTroubles = true
      addTimer(machine, Math.max(1, deadline - time), () => fail?.(), false)
      leave(point, 60)
    },
    setTimer(milliseconds, work, repeats) {
      const machine = currentMachine()
      if (!machine) throw new Error('a timer outside of any machine')
      return addTimer(machine, Math.max(1, milliseconds), work, repeats)
    },
    timers: () => timers,
    stopTimer: removeTimer,
    nextTimer: () =>
      timers.reduce<Timer | null>((first, timer) => (first && first.dueAt <= timer.dueAt ? first : timer), null),
    fire(timer) {
      const passed = Math.max(0, timer.dueAt - time)
      if (passed > 0) for (const machine of idleMachines()) machine.idleMs += passed
      if (passed > 250) delay()
      time += passed
      removeTimer(timer)
      if (timer.everyMs !== null) timers.push({ ...timer, dueAt: time + timer.everyMs })
      write(`${timer.machine.name} timer`)
      runIn(timer.machine, timer.work)
    },
    pass(milliseconds) {
      if (milliseconds > 1) delay()
      time += milliseconds
    },
    hasTroubles: () => hasTroubles,
    kill(machine) {
      hasTroubles = true
      machine.isKilled = true
      const lost = waiting.filter((point) => point.machine === machine)
      waiting = waiting.filter((point) => point.machine !== machine)
      timers = timers.filter((timer) => timer.machine !== machine)
      write(`${machine.name} is killed`)
      for (const point of lost) leave(point, 30)
    },
    diary: () => lines.map(({ at, line }) => `${String(at).padStart(9)} ${line}`),
    write,
  }
}
