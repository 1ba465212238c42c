import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'

const report = 'mutants.json'

/**
 * Runs Stryker in a copy of the checkout, which it changes, and returns its report by file. Output goes to stderr.
 *
 * @param kept the file in which an earlier run has kept what it found, and this one does; omitted: neither
 */
export async function runStryker({ copy, round: { mutate, tests }, kept, servers, concurrency, patience, signal }) {
  const patient = { ...tests, testTimeout: tests.testTimeout * patience }
  const settings = configuration({ mutate, kept, concurrency, patience, testTimeout: patient.testTimeout })
  writeFileSync(join(copy, 'mutants.config.json'), JSON.stringify(settings))
  const env = {
    ...process.env,
    LATCHKEY_MUTANTS: JSON.stringify({ tests: patient, ...servers }),
    // What one process for tests has compiled, the next one need not compile.
    NODE_COMPILE_CACHE: join(copy, '.compiled'),
  }
  const bin = join(copy, 'node_modules/@stryker-mutator/core/bin/stryker.js')
  // In a group of its own, which is ended as a whole: Stryker has processes for the tests.
  const child = spawn(process.execPath, [bin, 'run', 'mutants.config.json'], {
    cwd: copy,
    env,
    stdio: ['ignore', 2, 2],
    detached: true,
  })
  // It keeps what it has found so far, when it is asked to end.
  let patienceEnds
  const stop = () => {
    child.kill('SIGTERM')
    patienceEnds = setTimeout(endGroup, 10_000, child.pid)
  }
  signal.addEventListener('abort', stop)
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve))
  signal.removeEventListener('abort', stop)
  clearTimeout(patienceEnds)
  endGroup(child.pid)
  signal.throwIfAborted()
  if (code !== 0) throw new Error(`Stryker ended with ${code}`)
  const { files } = JSON.parse(readFileSync(join(copy, report), 'utf8'))
  // What was kept of other files, Stryker reports as well.
  return Object.fromEntries(
    Object.entries(files).filter(([file]) => mutate.some((pattern) => matchesGlob(file, pattern))),
  )
}

function configuration({ mutate, kept, concurrency, patience, testTimeout }) {
  return {
    testRunner: 'live',
    plugins: [
      './scripts/mutants/live-runner.mjs',
      './scripts/mutants/ignore-words.mjs',
      './scripts/mutants/name-survivors.mjs',
    ],
    ignorers: ['words'],
    // Vitest, the aliases of packages and child processes find the sources where they always are.
    inPlace: true,
    coverageAnalysis: 'perTest',
    concurrency,
    live: { configFile: 'scripts/mutants/vitest.config.mjs', testTimeout, slackMs: 2_000 * patience },
    mutate,
    ...(kept && { incremental: true, incrementalFile: kept }),
    reporters: ['progress-append-only', 'survivors', 'json'],
    jsonReporter: { fileName: report },
    allowConsoleColors: false,
    // The runner itself knows when a test hangs, and looks twice.
    timeoutMS: 3_600_000,
    dryRunTimeoutMinutes: 30,
  }
}

function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}
