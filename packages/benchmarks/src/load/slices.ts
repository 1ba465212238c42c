import type { PartRun } from '../part.ts'
import { orderOf } from '../rounds.ts'
import { median } from '../statistics.ts'
import { runClosedLoop } from './closed-loop.ts'
import type { LoadTarget } from './load-target.ts'
import { pinServers } from './own-core.ts'
import { processorMicroseconds } from './processor-time.ts'

/** The duration of a turn. It is short, so that a disturbance of the machine affects all servers. */
export const sliceMs = 100

/** One turn of one server. */
export type Slice = {
  readonly perSecond: number
  /** Processor time of the server for one request: other work of the machine affects it least. */
  readonly cpuMicroseconds: number
}

/** The slices of each server, one for each turn: slices of the same position were measured at nearly the same time. */
export type Slices = Readonly<Record<string, readonly Slice[]>>

/** Gives every server turns of 100 ms on a separate core, repeatedly, after all are warm. */
export async function measureSlices(
  { rounds, seconds, progress }: Pick<PartRun, 'rounds' | 'seconds' | 'progress'>,
  targets: readonly LoadTarget[],
): Promise<Slices> {
  const slices: Record<string, Slice[]> = Object.fromEntries(targets.map(({ name }) => [name, []]))
  const cores = pinServers([...new Set(targets.flatMap(({ child }) => child.pid ?? []))])
  if (!cores) progress('servers and load share their cores: there is one only, or no taskset (util-linux)')
  for (const target of targets) {
    progress(`warming up: ${target.name}`)
    await runClosedLoop(target, 1500)
  }
  const turns = turnsOf(seconds)
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round} of ${rounds}: ${turns} turns of ${targets.length} servers`)
    for (let turn = 0; turn < turns; turn++) {
      for (const target of orderOf(targets, turn)) slices[target.name]?.push(await measureSlice(target))
    }
  }
  return slices
}

/** Returns the number of turns that take this many seconds for each server. */
export function turnsOf(seconds: number): number {
  return Math.max(1, Math.round((seconds * 1000) / sliceMs))
}

async function measureSlice(target: LoadTarget): Promise<Slice> {
  const before = await processorMicroseconds(target.child)
  const { requests, milliseconds } = await runClosedLoop(target, sliceMs)
  const after = await processorMicroseconds(target.child)
  return { perSecond: (requests * 1000) / milliseconds, cpuMicroseconds: (after - before) / requests }
}

/** How many requests one server answers in the processor time of one request of the other: more is faster. */
export function speedRatio(slices: Slices, of: string, to: string): number {
  return median(paired(slices, of, to).map(([own, other]) => other / own))
}

/** Microseconds of processor time that a request takes more than one of the other. */
export function extraMicroseconds(slices: Slices, of: string, to: string): number {
  return median(paired(slices, of, to).map(([own, other]) => own - other))
}

/** Returns pairs of slices of the same turn: a disturbance of a whole turn does not change their ratio. */
function paired(slices: Slices, of: string, to: string): readonly (readonly [own: number, other: number])[] {
  const others = slices[to] ?? []
  return (slices[of] ?? []).map(({ cpuMicroseconds }, turn) => [
    cpuMicroseconds,
    others[turn]?.cpuMicroseconds ?? Number.NaN,
  ])
}
