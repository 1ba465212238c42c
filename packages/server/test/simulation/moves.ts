import type { Course } from './course.ts'
import type { Deed } from './deeds/deed.ts'
import { drawSchedule, evenly, pickWaiting, type Schedule } from './schedule.ts'
import { lifetimes } from './service/terms.ts'
import type { Process, Town } from './town.ts'
import type { Choices } from './world/choices.ts'
import { type Machine, runIn } from './world/machine.ts'
import type { Waiting, World } from './world/world.ts'

/** What kind of world a seed is: how much happens at once, and what fails how often. */
export interface Climate extends Schedule {
  readonly deeds: number
  readonly atOnce: number
  /** How often somebody does what is under way once more, in percent. */
  readonly again: number
  /** Weights of moves, beside that of going on, which is 1000. */
  readonly start: number
  readonly fail: number
  /** Whether only writes fail: a deed whose reads fail does not come to them. */
  readonly failsWrites: boolean
  readonly cut: number
  /** How often the stores do not answer a process for a while. */
  readonly silence: number
  /** Milliseconds that a timer may have left when it goes off before a call that waits: so long is the call under way. */
  readonly slowMs: number
  /** How often a process is cut off or killed right after it has written, in percent. */
  readonly upset: number
  readonly kill: number
  readonly pass: number
  readonly skew: number
  /** How often a process has removed expired records after a minute or more, in percent. */
  readonly sweep: number
}

export function drawClimate(choices: Choices): Climate {
  const { below } = choices
  const often = (weights: readonly number[]): number => weights[below(weights.length)] ?? 0
  return {
    ...drawSchedule(choices),
    deeds: 8 + below(14),
    atOnce: 1 + below(4),
    again: often([0, 20, 50]),
    start: often([300, 100, 1000]),
    fail: often([0, 0, 20, 60]),
    failsWrites: below(2) === 1,
    cut: often([0, 0, 5]),
    silence: often([0, 0, 10, 30]),
    slowMs: 1000,
    upset: often([0, 0, 3]),
    kill: often([0, 0, 5, 15]),
    pass: often([0, 20, 60]),
    skew: often([0, 30, 60]),
    sweep: often([0, 100, 100]),
  }
}

const none = { fail: 0, failsWrites: false, cut: 0, silence: 0, upset: 0, kill: 0 }
/** One kind of failure each: two at once hide more than they show. */
const failures: readonly Partial<Climate>[] = [
  { fail: 30 },
  { fail: 60, failsWrites: true },
  { fail: 200, failsWrites: true },
  { upset: 10 },
  { upset: 20 },
  { upset: 30 },
  { upset: 30 },
  { kill: 20 },
  { cut: 10 },
  { silence: 30 },
]

/** One in which a few deeds happen at the same moment, in half of the worlds without any failure. */
export function drawWindow(choices: Choices): Climate {
  const often = <Item>(items: readonly Item[]): Item => items[choices.below(items.length)] as Item
  return {
    ...drawClimate(choices),
    ...none,
    ...(choices.chance(50) && often(failures)),
    atOnce: 1 + choices.below(4),
    again: often([0, 30, 90, 90]),
    start: often([1000, 5000]),
    pass: often([0, 20, 60]),
    skew: often([0, 0, 30]),
  }
}

/** Nothing fails, and each thing is done before the next one starts. */
export const calm: Omit<Climate, 'deeds'> = {
  ...none,
  ...evenly,
  ...{ atOnce: 1, again: 0, start: 1, pass: 0, skew: 0, sweep: 0, slowMs: 0 },
}

const moves = ['proceed', 'start', 'timer', 'fail', 'pass', 'cut', 'silence', 'kill', 'skew'] as const

export type Move = (typeof moves)[number]

interface Possible {
  readonly canStart: boolean
  readonly isBusy: boolean
}

/** Picks the next move of those that are possible now; null: nothing is left to do. */
export function pickMove(world: World, climate: Climate, possible: Possible): Move | null {
  const weights = weighMoves(world, climate, possible)
  let left = world.choices.below(weights.reduce((sum, weight) => sum + weight))
  for (const [index, weight] of weights.entries()) {
    if (left < weight) return moves[index] ?? null
    left -= weight
  }
  return null
}

/** Returns the weights of the moves, in their order. */
function weighMoves(world: World, climate: Climate, { canStart, isBusy }: Possible): readonly number[] {
  const timer = world.nextTimer()
  const isSoon = timer !== null && timer.dueAt <= world.now() + climate.slowMs
  const waits = world.waiting.length > 0
  return [
    waits ? 1000 : 0,
    canStart ? climate.start : 0,
    isSoon || (timer !== null && !waits && isBusy) ? 100 : 0,
    climate.fail > 0 && world.waiting.some((each) => mayFail(each, climate)) ? climate.fail : 0,
    canStart ? climate.pass : 0,
    canStart ? climate.cut : 0,
    canStart ? climate.silence : 0,
    canStart ? climate.kill : 0,
    canStart ? climate.skew : 0,
  ]
}

/** Makes a move that is none of a person. Returns the machines that were killed. */
export function makeMove(course: Course, climate: Climate, move: Exclude<Move, 'start'>): readonly string[] {
  const { world, town } = course
  const doomed = town.processes.findIndex(({ machine }) => machine.isDoomed)
  if (doomed !== -1) return killAt(world, town, doomed)
  if (move === 'kill') return killAt(world, town, world.choices.below(town.processes.length))
  if (move === 'proceed') proceed(course, climate)
  else if (move === 'pass') pass(course, climate)
  else if (move === 'fail') fail(world, climate)
  else ({ timer, cut, silence, skew })[move](world, town)
  return []
}

/**
 * A process that has written, and then nothing more, shows in which order it writes: above all if it has changed an account,
 * which decides most changes.
 */
const written = /\.(insert|replace|remove|removeByOwner|append) answers$/

function proceed(course: Course, climate: Climate): void {
  proceedAt(course, climate, pickWaiting(course.world, climate))
}

/** Lets the call at the place go on, unless its process is cut off or the store silent. */
export function proceedAt({ world, overtake }: Course, { upset }: Pick<Climate, 'upset'>, index: number): void {
  const point = world.waiting[index]
  if (!point) return
  const { machine, label, fail, deadline, isUnheard } = point
  if (fail && machine.failing > 0) {
    machine.failing--
    return void world.fail(index)
  }
  if (deadline !== undefined && machine.silentUntil > world.now()) return void world.silence(index)
  world.proceed(index)
  if (isUnheard) overtake(machine.name)
  if (upset === 0 || !written.test(label)) return
  if (!world.choices.chance(label.startsWith('accounts.') ? 3 * upset : upset)) return
  if (world.choices.chance(30)) machine.isDoomed = true
  else cutOff(world, machine)
}

/** Fails a call that waits, its process with all its calls, or all that the process asks its stores for a while. */
export function failAt({ world, town, lose }: Course, held: Waiting | null): void {
  if (!held || !world.waiting.includes(held)) return
  const place = town.processes.findIndex(({ machine }) => machine === held.machine)
  const kind = world.choices.below(4)
  if (kind === 0) killAt(world, town, place).forEach(lose)
  if (kind === 1) held.machine.silentUntil = world.now() + (world.choices.chance(30) ? 1000 : 5000)
  if (kind === 2) cutOff(world, held.machine)
  if (kind > 1) world.fail(world.waiting.indexOf(held))
}

function timer(world: World): void {
  const next = world.nextTimer()
  if (next) world.fire(next)
}

/** A write, or the answer to one. */
const writing = /\.(insert|replace|remove|removeByOwner|append)( answers)?$/
const mayFail = ({ fail, label }: Waiting, { failsWrites }: Climate): boolean =>
  fail !== undefined && (!failsWrites || writing.test(label))

function fail(world: World, climate: Climate): void {
  const places = world.waiting.flatMap((waiting, index) => (mayFail(waiting, climate) ? [index] : []))
  world.fail(places[world.choices.below(places.length)] ?? 0)
}

/** Cuts a process off from its stores, for some calls. */
function cut(world: World, { processes }: Town): void {
  const machine = processes[world.choices.below(processes.length)]?.machine
  if (machine) cutOff(world, machine)
}

function cutOff({ choices, write }: World, machine: Machine): void {
  machine.failing = 4 + choices.below(8)
  write(`${machine.name} is cut off for ${machine.failing} calls`)
}

/** Lets the stores not answer a process for a while. */
function silence({ choices, now, write }: World, { processes }: Town): void {
  const machine = processes[choices.below(processes.length)]?.machine
  if (!machine) return
  const milliseconds = [100, 300, 1000, 5000][choices.below(4)] ?? 0
  machine.silentUntil = now() + milliseconds
  write(`the stores do not answer ${machine.name} for ${milliseconds} ms`)
}

/** Seconds: within and after the grace of a refresh token, the lifetimes and the windows of limits. */
const pauses = [1, 11, 61, 301, 870, 910, 3700] as const

function pass({ world, town, deeds }: Course, { sweep }: Climate): void {
  const { choices, now, waiting } = world
  const possible = waiting.length > 0 ? pauses.slice(0, 2) : [...pauses, ...untilEnds(deeds, now())]
  const seconds = possible[choices.below(possible.length)] ?? 1
  world.pass(1000 * seconds)
  world.write(`${seconds} seconds pass`)
  if (seconds > 60) for (const process of town.processes) if (choices.chance(sweep)) sweepOnce(process)
}

/** Seconds until shortly before what was opened ends, and until shortly after it. */
function untilEnds(deeds: readonly Deed[], now: number): readonly number[] {
  const ends = deeds.flatMap(({ outcome, startedAt }) => {
    if (outcome.kind !== 'done') return []
    const lasts = {
      session: outcome.credential?.kind === 'session' && [lifetimes.idle, lifetimes.session],
      family: outcome.credential?.kind === 'family' && [lifetimes.refreshToken],
      refreshed: outcome.refreshToken !== undefined && [lifetimes.grace, lifetimes.refreshToken],
      code: outcome.appCode !== undefined && [lifetimes.code],
    }
    return Object.values(lasts)
      .flatMap((seconds) => seconds || [])
      .map((seconds) => Math.floor((startedAt - now) / 1000) + seconds)
  })
  return ends.flatMap((end) => [end - 30, end + 5]).filter((seconds) => seconds > 0)
}

function sweepOnce({ machine, service }: Process): void {
  runIn(machine, () => service().sweep()).catch(() => undefined)
}

function skew(world: World, { processes }: Town): void {
  const machine = processes[world.choices.below(processes.length)]?.machine
  if (!machine) return
  machine.skewMs = [0, 60_000, -60_000][world.choices.below(3)] ?? 0
  world.write(`the clock of ${machine.name} is ${machine.skewMs / 1000} s ahead`)
}

function killAt(world: World, town: Town, place: number): readonly string[] {
  const machine = town.processes[place]?.machine
  if (!machine) return []
  world.kill(machine)
  town.restart(place)
  return [machine.name]
}
