import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Code that changes or measures state that test files in one process share. Vitest restores mocks and limits after each file. */
const ofTheProcess = new RegExp(
  [
    /\bvi\.(mock|doMock|hoisted|resetModules)\b/,
    /\b(memoryUsage|cpuUsage|resourceUsage|queryObjects|gc|FinalizationRegistry|WeakRef)\b/,
    /\b(startStopwatch|expectWithin)\b|\bperformance\.now\b/,
    /\bprocess\.(env(?!\.(TEST_TIER|LATCHKEY_PROPERTY_RUNS|GRAPHQL_MAJOR)\b)|on|once|chdir|emit)\b|\bglobalThis\b|\bdiagnostics_channel\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
)

/** Tests that replace clock and timers of the process, in modules that they share. */
const inSimulations = /^packages[/\\]server[/\\]test[/\\]simulation[/\\]/

/** Code that measures durations, which other work on the machine would change. */
const measuring = /\b(startStopwatch|expectWithin)\b/

/** Returns the test files that measure durations. They run alone. */
export function filesThatMeasure(pattern: string, { cwd = root } = {}): string[] {
  const isOurs = (file: string): boolean => !/[/\\]node_modules[/\\]/.test(file)
  return globSync(pattern, { cwd }).filter(
    (file) => isOurs(file) && measuring.test(readFileSync(join(cwd, file), 'utf8')),
  )
}

/** Returns the test files that can run one after the other in the same process. The others need a process each. */
export function filesOfOneProcess(patterns: readonly string[], { cwd = root } = {}): string[] {
  return globSync(patterns, { cwd }).filter(
    (file) => !inSimulations.test(file) && !ofTheProcess.test(readFileSync(join(cwd, file), 'utf8')),
  )
}
