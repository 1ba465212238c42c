import type { Town } from './town.ts'
import type { Choices } from './world/choices.ts'
import type { World } from './world/world.ts'

/** What kind of world a seed is: how much happens at once, and what fails how often. */
export interface Climate {
  readonly deeds: number
  readonly atOnce: number
  /** Weights of moves, beside that of going on, which is 1000. */
  readonly start: number
  readonly fail: number
  readonly kill: number
  readonly pass: number
  readonly skew: number
}

export function drawClimate({ below }: Choices): Climate {
  const often = (weights: readonly number[]): number => weights[below(weights.length)] ?? 0
  return {
    deeds: 8 + below(18),
    atOnce: 1 + below(4),
    start: often([300, 100, 1000]),
    fail: often([0, 0, 20, 60]),
    kill: often([0, 0, 5, 15]),
    pass: often([0, 20, 60]),
    skew: often([0, 0, 10]),
  }
}

export type Move = 'proceed' | 'start' | 'timer' | 'pass' | 'fail' | 'kill' | 'skew'

/** Picks the next move of those that are possible now; null: nothing is left to do. */
export function pickMove(world: World, climate: Climate, state: { canStart: boolean; isBusy: boolean }): Move | null {
  const timer = world.nextTimer()
  const isSoon = timer !== null && timer.dueAt <= world.now() + 1000
  const waits = world.waiting.length > 0
  const weights: readonly (readonly [Move, number])[] = [
    ['proceed', waits ? 1000 : 0],
    ['start', state.canStart ? climate.start : 0],
    ['timer', isSoon || (timer !== null && !waits && state.isBusy) ? 100 : 0],
    ['fail', world.waiting.some(({ fail }) => fail) ? climate.fail : 0],
    ['pass', state.canStart ? climate.pass : 0],
    ['kill', state.canStart ? climate.kill : 0],
    ['skew', state.canStart ? climate.skew : 0],
  ]
  let left = world.choices.below(weights.reduce((sum, [, weight]) => sum + weight, 0))
  for (const [move, weight] of weights) {
    if (left < weight) return move
    left -= weight
  }
  return null
}

const pauses = [1, 11, 61, 301, 870, 910, 3700] as const

/** Makes a move that is none of a person. Returns the machine that was killed. */
export function makeMove(world: World, town: Town, move: Exclude<Move, 'start'>): string | null {
  const { below } = world.choices
  if (move === 'proceed') world.proceed(below(world.waiting.length))
  if (move === 'fail') {
    const places = world.waiting.flatMap(({ fail }, index) => (fail ? [index] : []))
    world.fail(places[below(places.length)] ?? 0)
  }
  const timer = world.nextTimer()
  if (move === 'timer' && timer) world.fire(timer)
  if (move === 'pass') {
    const seconds = pauses[below(world.waiting.length > 0 ? 2 : pauses.length)] ?? 1
    world.pass(1000 * seconds)
    world.write(`${seconds} seconds pass`)
  }
  if (move === 'skew') {
    const { machine } = town.services[below(town.services.length)] ?? {}
    if (machine) machine.skewMs = [0, 60_000, -60_000][below(3)] ?? 0
    if (machine) world.write(`the clock of ${machine.name} is ${machine.skewMs} ms ahead`)
  }
  return move === 'kill' ? killOne(world, town) : null
}

function killOne(world: World, town: Town): string | null {
  const place = world.choices.below(town.services.length)
  const machine = town.services[place]?.machine
  if (!machine) return null
  world.kill(machine)
  town.restart(place)
  return machine.name
}
