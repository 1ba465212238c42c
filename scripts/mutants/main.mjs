// Judges the tests of a package: each mutant is one small mistake in its sources, and a test should fail for it.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../../packages/test-services/src/postgres-server.ts'
import { startRedis } from '../../packages/test-services/src/redis-server.ts'
import { runCommand } from '../run-command.mjs'
import { readJson, root } from '../workspace.mjs'
import { copyCheckout } from './copy-checkout.mjs'
import { forgetUnlisted, judge } from './judge.mjs'
import { packageOf, plan, requiredScore } from './plan.mjs'
import { writeQueryWords } from './query-words.mjs'
import { checkTests, roundsOf } from './rounds.mjs'
import { runStryker } from './run-stryker.mjs'

const help = `usage: npm run mutants -- <package> [files…] [options]

Makes small mistakes in the sources of a package, one at a time, and runs the tests of the package that reach them.
Works in a temporary copy of the checkout. Exits with 1 if less than ${requiredScore} % of the mistakes are noticed, or if one that
is not noticed is missing in scripts/mutants/survivors/<package>.json, where each has its reason.

packages: ${Object.keys(plan).join(', ')}
files:    only these sources, such as packages/store/src/credential.ts; several by a pattern in quotes

A package whose tests take minutes is judged in rounds: scripts/mutants/plan.mjs says which sources each one changes, and
which tests judge them. With files only the rounds run that change one of them. The reports of all are judged as one.

  --json             prints the result as JSON
  --concurrency <n>  processes for tests; 1 by default
  --keep <folder>    keeps what was found there, and a later run with it judges only what its changes can have touched, and
                     survivors without a reason
  --patience <n>     n times as long before a test or a mutant counts as hanging, for a machine with other work
  -h, --help         prints this`

await runCommand('mutants', main)

async function main(signal) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      concurrency: { type: 'string', default: '1' },
      keep: { type: 'string' },
      patience: { type: 'string', default: '1' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) {
    console.log(help)
    return 0
  }
  const [name, ...files] = positionals
  if (!Object.hasOwn(plan, name ?? '')) throw new Error(`name one of ${Object.keys(plan).join(', ')}; --help says more`)
  const [concurrency, patience] = [readCount(values, 'concurrency'), readCount(values, 'patience')]
  const chosen = files.map((file) => relative(root, resolve(file)))
  const keep = values.keep && resolve(values.keep)
  const result = judge(await collect({ name, files: chosen, keep, concurrency, patience, signal }), survivorsOf(name))
  console.log(values.json ? JSON.stringify({ package: name, ...result }, null, 2) : describe(name, result))
  return result.passed ? 0 : 1
}

function readCount(values, option) {
  const count = Number(values[option])
  if (!(Number.isSafeInteger(count) && count > 0)) throw new Error(`"--${option}" must be a whole number`)
  return count
}

function survivorsOf(name) {
  const file = join(root, 'scripts/mutants/survivors', `${packageOf(name)}.json`)
  return existsSync(file) ? readJson(file) : []
}

async function collect({ name, files, keep, concurrency, patience, signal }) {
  checkTests(name)
  const rounds = roundsOf(name, files)
  const copy = copyCheckout()
  try {
    const originals = writeQueryWords(copy, name)
    const reports = []
    for (const [index, round] of rounds.entries()) {
      const kept = keep && join(keep, `${name.replace('/', '-')}-${round.place}.json`)
      if (kept) forgetSurvivors(kept, { originals, listed: survivorsOf(name) })
      const run = (servers) => {
        // It may have been ended while the servers started.
        signal.throwIfAborted()
        return runStryker({ copy, round, kept, servers, concurrency, patience, signal })
      }
      const files = plan[name].servers ? await withServers(run) : await run({})
      reports.push(files)
      const { killed, mutants, score } = judge({ files, originals }, [])
      console.error(`round ${index + 1} of ${rounds.length}: ${killed} of ${mutants} mutants noticed: ${score} %`)
    }
    return { originals, files: Object.assign({}, ...reports) }
  } finally {
    rmSync(copy, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** One server of each kind for a round, which outlives tests that a mutant makes hang: a script that never ends blocks it for good. */
async function withServers(run) {
  const started = await Promise.all([startPostgres(), startRedis()])
  try {
    const [postgres, redis] = started.map((server) => server && { url: server.url })
    return await run({ postgres, redis })
  } finally {
    await Promise.all(started.map((server) => server?.stop()))
  }
}

function forgetSurvivors(kept, { originals, listed }) {
  if (!existsSync(kept)) return
  const report = readJson(kept)
  writeFileSync(kept, JSON.stringify({ ...report, files: forgetUnlisted({ files: report.files, originals }, listed) }))
}

function describe(name, { score, mutants, killed, hanging, unlisted, listed, stale, passed }) {
  const lines = [
    ...unlisted.map(
      ({ file, at, line, mutator, from, to, status }) =>
        `${file}:${at}  ${mutator}${status === 'NoCoverage' ? ' (no test comes by)' : ''}\n    ${line}\n    ${from} → ${to}`,
    ),
    ...stale.map(({ file, line, mutator }) => `stale, no longer a survivor: ${file}  ${mutator}\n    ${line}`),
    `${name}: ${killed} of ${mutants} mutants noticed, ${hanging.length} of them by hanging: ${score} %`,
    `${listed.length} survivors with a reason, ${unlisted.length} without one, ${stale.length} stale entries`,
    passed ? 'passed' : `failed: ${requiredScore} % are required, and a reason for each survivor`,
  ]
  return lines.join('\n')
}
