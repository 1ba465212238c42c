import { expect, test } from 'vitest'
import { describeRun } from './describe-run.ts'
import { shrink } from './shrink.ts'
import { type RunOptions, simulate } from './simulate.ts'
import { readMoves, repeatChoices, writeMoves } from './world/choices.ts'

const isLong = process.env.TEST_TIER === '3'
const seeds = isLong ? 100_000 : 2_000

/** Throws the shortest schedule that shows what was found. */
async function expectNothingFound(options: RunOptions): Promise<number> {
  const run = await simulate(options)
  if (run.finding !== null) throw new Error(describeRun(options.seed, await shrink(options, run)))
  return run.deeds.length
}

test(`four processes under faults keep every promise in the worlds of ${seeds} seeds`, {
  timeout: 3_600_000,
}, async () => {
  let deeds = 0
  for (let seed = 1; seed <= seeds; seed++) deeds += await expectNothingFound({ seed: String(seed) })
  // Each world of the seeds was lived in: one that ends at once proves nothing.
  expect(deeds).toBeGreaterThan(seeds * 8)
})

test('a world of the same seed is the same in every call, answer and event', async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const first = await simulate({ seed: `repeated ${seed}` })
    const second = await simulate({ seed: `repeated ${seed}` })
    expect(second.diary).toEqual(first.diary)
  }
})

test('a run is repeated exactly from the text of its decisions', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const first = await simulate({ seed: String(seed) })
    const choices = repeatChoices(readMoves(writeMoves(first.moves)))
    const second = await simulate({ seed: String(seed), choices })
    expect(second.diary).toEqual(first.diary)
  }
})
