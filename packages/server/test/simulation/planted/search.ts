import { allPlanted } from './all-planted.ts'
import { applyPatch } from './patch.ts'

/** What came of the search for a planted fault. */
export interface Searched {
  readonly fault: string
  /** The first seed whose world shows it, from 1 on; null: none does. */
  readonly seed: number | null
  readonly finding: string | null
  readonly seconds: number
}

/** Looks for the fault in the worlds of the seeds from 1 on, in a process that has loaded no source of the service yet. */
export async function searchFor(name: string, seeds: number): Promise<Searched> {
  const startedAt = performance.now()
  const planted = allPlanted.find((fault) => fault.name === name)
  if (!planted) throw new Error(`there is no planted fault ${name}`)
  const checkPatch = planted.patch && applyPatch(planted.patch)
  const { simulate } = await import('../simulate.ts')
  checkPatch?.()
  const seconds = (): number => Math.round(performance.now() - startedAt) / 1000
  for (let seed = 1; seed <= seeds; seed++) {
    const { finding } = await simulate({ seed: String(seed), ...planted.plant })
    if (finding !== null) return { fault: name, seed, finding, seconds: seconds() }
  }
  return { fault: name, seed: null, finding: null, seconds: seconds() }
}
