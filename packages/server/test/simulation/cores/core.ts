import { type Explored, type ExploringOptions, explore, type Opened } from './explore.ts'
import { openProcess, type Process, type ProcessOptions } from './process.ts'
import { openStores, type SharedStores, type Stores, wrapStores } from './shared-stores.ts'
import { createStage, type Ending, type Happening } from './stage.ts'
import { createStillPlatform, type StillPlatform } from './still-platform.ts'

const startsAt = 1_800_000_000_000

/** A few callers, each in a process of its own, and what must hold after every schedule of their store calls. */
export interface Core<Given> {
  readonly options?: ProcessOptions
  /** Fills the stores before the callers start, once for all schedules. */
  readonly prepare: (process: Process, clock: Clock) => Promise<Given>
  readonly callers: Readonly<Record<string, (process: Process, given: Given) => Promise<unknown>>>
  /** Returns what does not hold, in sentences. It asks a process that started after all the others have ended. */
  readonly judge: (after: After<Given>) => Promise<readonly string[]>
}

export interface Clock {
  readonly advance: (seconds: number) => void
}

export interface After<Given> extends Clock {
  readonly given: Given
  /** By caller. */
  readonly endings: Readonly<Record<string, Ending>>
  readonly process: Process
}

export interface CoreRun extends ExploringOptions {
  /** What may happen once in a schedule. @default nothing */
  readonly faults?: readonly Exclude<Happening, 'runs'>[]
  /** Puts a fault into the stores of all callers. */
  readonly plant?: (stores: Stores) => Stores
}

/** Runs all schedules of the callers of a core. */
export async function exploreCore<Given>(core: Core<Given>, run: CoreRun = {}): Promise<Explored> {
  const platform = createStillPlatform()
  let time = startsAt
  const clock = { now: () => time, advance: (seconds: number) => void (time += seconds * 1000) }
  try {
    platform.drawAs('before')
    const stores = await openStores(clock.now)
    const given = await finish(platform, core.prepare(openProcess(stores, clock.now, core.options), clock))
    const begin = { contents: await stores.contents(), time }
    const open = async (): Promise<Opened> => {
      platform.drawAgain()
      time = begin.time
      return openCore({ core, run, given, platform, clock, stores: await openStores(clock.now, begin.contents) })
    }
    return await explore({ open }, run)
  } finally {
    platform.end()
  }
}

interface Opening<Given> {
  readonly core: Core<Given>
  readonly run: CoreRun
  readonly given: Given
  readonly platform: StillPlatform
  readonly clock: Clock & { readonly now: () => number }
  readonly stores: SharedStores
}

async function openCore<Given>({ core, run, given, platform, clock, stores }: Opening<Given>): Promise<Opened> {
  const stage = createStage(platform, run.faults)
  const seen = run.plant?.(stores) ?? stores
  const works = Object.entries(core.callers).map(([name, call]) => {
    const own = openProcess(wrapStores(seen, stage.around(name)), clock.now, core.options)
    return [name, () => call(own, given)] as const
  })
  await stage.start(Object.fromEntries(works))
  return {
    stage,
    stored: async () => JSON.stringify(await stores.contents()),
    async judge() {
      platform.drawAs('after')
      const process = openProcess(stores, clock.now, core.options)
      return finish(platform, core.judge({ given, endings: stage.endings(), process, advance: clock.advance }))
    },
  }
}

/** Resolves as the work does, whose pauses end at once. */
async function finish<Result>(platform: StillPlatform, work: Promise<Result>): Promise<Result> {
  let isSettled = false
  const settled = work.finally(() => {
    isSettled = true
  })
  settled.catch(() => undefined)
  while (!isSettled) await platform.settle()
  return settled
}
