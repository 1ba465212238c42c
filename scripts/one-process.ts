import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What changes or measures something that files in one process would share. Vitest restores mocks and limits after each file. */
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

/** What measures how soon something is answered, which work beside it would change. */
const measuring = /\b(startStopwatch|expectWithin)\b/

/** Returns those of the test files that run alone, because they measure. */
export function filesThatMeasure(pattern: string, { cwd = root } = {}): string[] {
  const isOurs = (file: string): boolean => !/[/\\]node_modules[/\\]/.test(file)
  return globSync(pattern, { cwd }).filter(
    (file) => isOurs(file) && measuring.test(readFileSync(join(cwd, file), 'utf8')),
  )
}

/** Returns those of the test files that may follow each other in one process. The others need one of their own. */
export function filesOfOneProcess(patterns: readonly string[], { cwd = root } = {}): string[] {
  return globSync(patterns, { cwd }).filter((file) => !ofTheProcess.test(readFileSync(join(cwd, file), 'utf8')))
}
