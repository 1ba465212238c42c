import { type Explored, type ExploringOptions, explore } from '../explorer/explore.ts'
import type { Endings, Opened } from '../explorer/scenario.ts'
import { createStage } from '../explorer/stage.ts'
import { createStillPlatform, type StillPlatform } from '../explorer/still-platform.ts'
import { openProcess, type Process, type ProcessOptions } from './process.ts'
import { type Contents, openStores, type SharedStores, type Stores, wrapStores } from './shared-stores.ts'

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
  readonly endings: Endings
  readonly process: Process
}

export interface CoreRun extends ExploringOptions {
  /** Puts a fault into the stores of all callers. */
  readonly plant?: (stores: Stores) => Stores
}

/** Runs all schedules of the callers of a core. */
export async function exploreCore<Given>(core: Core<Given>, run: CoreRun = {}): Promise<Explored> {
  const platform = createStillPlatform()
  let time = startsAt
  const clock = {
    now: () => time,
    advance(seconds: number) {
      time += seconds * 1000
    },
  }
  try {
    platform.drawAs('before')
    const stores = await openStores(clock.now)
    const given = await finish(platform, core.prepare(openProcess(stores, clock.now, core.options), clock))
    const begin = { contents: await stores.contents(), time }
    const reopen = (contents: Contents): Promise<SharedStores> => {
      platform.drawAgain()
      time = begin.time
      return openStores(clock.now, contents)
    }
    const open = async () => openCore({ core, run, given, platform, clock, stores: await reopen(begin.contents) })
    async function judge(endings: Endings, stored: string): Promise<readonly string[]> {
      const process = openProcess(await reopen(JSON.parse(stored)), clock.now, core.options)
      platform.drawAs('after')
      return finish(platform, core.judge({ given, endings, process, advance: clock.advance }))
    }
    return await explore({ callers: Object.keys(core.callers), open, judge }, run)
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
  const stage = createStage(platform)
  const works = Object.entries(core.callers).map(([name, call]) => {
    const waiting = wrapStores(stores, stage.around(name))
    const own = openProcess(run.plant?.(waiting) ?? waiting, clock.now, core.options)
    return [name, () => call(own, given)] as const
  })
  await stage.start(Object.fromEntries(works))
  return { stage, stored: async () => JSON.stringify(await stores.contents()) }
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
