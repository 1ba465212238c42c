import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type Run, simulate } from './simulate.ts'
import { readMoves, repeatChoices, writeMoves } from './world/choices.ts'

const isLong = process.env.TEST_TIER === '3'
const seeds = isLong ? 100_000 : 2_000
const atOnce = 2
const program = fileURLToPath(new URL('main.ts', import.meta.url))
const run = promisify(execFile)

/** Runs the command over a share of the seeds, and throws the shortest schedule that shows what it found. */
async function expectNothingFound(share: number): Promise<number> {
  const of = ['--from', String(1 + (share * seeds) / atOnce), '--seeds', String(seeds / atOnce)]
  const given = ['--conditions=@latchkey/source', program, ...of]
  const { stdout } = await run(process.execPath, given).catch(({ stdout: found, stderr }) => {
    throw new Error(`${found}${stderr}`)
  })
  return Number(/, ([0-9]+) deeds, /.exec(stdout)?.[1])
}

test(`four processes under faults keep every promise in the worlds of ${seeds} seeds`, {
  timeout: 3_600_000,
}, async () => {
  const deeds = await Promise.all(Array.from({ length: atOnce }, (_, share) => expectNothingFound(share)))
  // Each world of the seeds was lived in: one that ends at once proves nothing.
  expect(deeds.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(seeds * 8)
})

/** The first runs of worlds, which two tests repeat. */
const firsts = new Map<string, Promise<Run>>()
function runFirst(seed: string): Promise<Run> {
  const first = firsts.get(seed) ?? simulate({ seed })
  firsts.set(seed, first)
  return first
}

test('a world of the same seed is the same in every call, answer and event', async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const first = await runFirst(`${seed}`)
    const second = await simulate({ seed: `${seed}` })
    expect(second.diary).toEqual(first.diary)
  }
})

test('a run is repeated exactly from the text of its decisions', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const first = await runFirst(`${seed}`)
    const choices = repeatChoices(readMoves(writeMoves(first.moves)))
    const second = await simulate({ seed: `${seed}`, choices })
    expect(second.diary).toEqual(first.diary)
  }
})
