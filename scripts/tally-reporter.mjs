import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

// Prints the closing line of a test run: `N passed, N failed, N skipped`, and above it why anything was skipped.
// A file that does not load, a hook that throws and an error that is not caught count as failed.
// LATCHKEY_FAILED_FILES names a file to write the failed test files to, a line each.
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
    // To run the failed files again proves nothing about an error that is not caught, or about a test that must not be skipped.
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
