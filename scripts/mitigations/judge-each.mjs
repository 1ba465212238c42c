import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { takeOut } from './take-out.mjs'

/**
 * Judges mitigations in a copy of the checkout. `red`: the test passes with the mitigation and fails without it. `green`:
 * the test passes without it, too. `missing`: the test did not run. `broken`: the test fails with the mitigation as well.
 */
export async function judgeEach(mitigations, { copy, signal, report }) {
  // Before any test runs: a stale list is an error, not a result.
  for (const mitigation of mitigations) takeOut(mitigation, copy)()
  const before = await runTests(mitigations, { copy, signal })
  const results = []
  for (const mitigation of mitigations) {
    const from = performance.now()
    const verdict = await judge(mitigation, { copy, signal, before })
    const { name, against, what, test, title } = mitigation
    const result = { name, against, what, test, title, verdict, seconds: (performance.now() - from) / 1000 }
    report(result)
    results.push(result)
  }
  return results
}

async function judge(mitigation, { copy, signal, before }) {
  const outcomes = outcomesOf(mitigation, before)
  if (outcomes.length === 0) return 'missing'
  if (outcomes.includes('failed')) return 'broken'
  const putBack = takeOut(mitigation, copy)
  try {
    const without = outcomesOf(mitigation, await runTests([mitigation], { copy, signal }))
    return without.includes('failed') ? 'red' : 'green'
  } finally {
    putBack()
  }
}

/** The outcomes of a test: several if it has several cases. */
function outcomesOf({ test, title }, tests) {
  return tests.filter((one) => one.file === test && one.title === title).map(({ status }) => status)
}

/** Runs the tests of mitigations in one process, and returns their outcomes. */
async function runTests(mitigations, { copy, signal }) {
  signal.throwIfAborted()
  const files = [...new Set(mitigations.map(({ test }) => test))]
  const titles = mitigations.map(({ title }) => title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const output = join(copy, 'mitigations.json')
  const words = [
    'run',
    ...files,
    '-t',
    `(${titles.join('|')})$`,
    '--testTimeout=20000',
    '--reporter=json',
    `--outputFile=${output}`,
  ]
  await runVitest(words, { copy, signal })
  const { testResults } = JSON.parse(readFileSync(output, 'utf8'))
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ title, status }) => ({ file: name.slice(copy.length + 1), title, status })),
  )
}

function runVitest(words, { copy, signal }) {
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [vitest, ...words], {
      cwd: copy,
      env: { ...process.env, TEST_TIER: '2' },
      signal,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let printed = ''
    child.stderr.on('data', (chunk) => {
      printed += chunk
    })
    child.once('error', reject)
    // 1: a test has failed, which is a result.
    child.once('exit', (code) => (code === 0 || code === 1 ? resolve() : reject(new Error(`vitest ended: ${printed}`))))
  })
}
