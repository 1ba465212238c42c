import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

// Prints the last line of a test run: `N passed, N failed, N skipped`, and above it the reasons of skipped tests.
// A file that does not load, a hook that throws and an uncaught error count as failed.
// LATCHKEY_FAILED_FILES names a file, to which the paths of failed test files are written, one a line.
export default class TallyReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const results = modules.flatMap((module) => [...module.children.allTests()]).map((test) => test.result())
    const skipped = results.filter(({ state }) => state === 'skipped' || state === 'pending')
    const broken = modules.filter((module) => isFailed(module) && !hasFailedTest(module)).length
    const maySkip = process.env.LATCHKEY_NO_SKIPS !== '1'

    for (const [reason, { length }] of Map.groupBy(skipped, ({ note }) => note ?? 'no reason given')) {
      console.log(`${length} skipped: ${reason}`)
    }
    if (!maySkip && skipped.length > 0) {
      console.log('LATCHKEY_NO_SKIPS=1: a skipped test counts as failed.')
      process.exitCode = 1
    }
    const passed = results.filter(({ state }) => state === 'passed').length
    const failed = results.filter(({ state }) => state === 'failed').length + broken + unhandledErrors.length
    const counts = maySkip ? [passed, failed, skipped.length] : [passed, failed + skipped.length, 0]
    const list = process.env.LATCHKEY_FAILED_FILES
    // Running the failed files again says nothing about an uncaught error or a skipped test.
    const isOfFiles = unhandledErrors.length === 0 && (maySkip || skipped.length === 0)
    if (list && isOfFiles) writeFileSync(list, toLines(modules.filter(isFailed)))
    console.log(`${counts[0]} passed, ${counts[1]} failed, ${counts[2]} skipped`)
  }
}

function isFailed(module) {
  return module.state() === 'failed'
}

function toLines(modules) {
  return [...new Set(modules.map(({ moduleId }) => relative(process.cwd(), moduleId)))]
    .map((path) => `${path}\n`)
    .join('')
}

function hasFailedTest(module) {
  return [...module.children.allTests()].some((test) => test.result().state === 'failed')
}
