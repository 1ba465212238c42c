// A plugin of Stryker: runs the tests of vitest in a process that stays, and so has loaded everything once. The runner that
// Stryker brings starts new processes for each mutant, which takes a hundred times as long as most tests.
import { relative } from 'node:path'
import { openProcesses } from './live-process.mjs'
import { orderSteps } from './order-steps.mjs'
import { createLessons, tryMutant } from './try-mutant.mjs'

class LiveRunner {
  #processes
  #tests = new Map()
  #killers = new Map()
  #lessons = createLessons()
  #options

  constructor(options) {
    this.#options = options
  }

  /** A mutant that is reached while modules load is told apart from the others, and given a process of its own. */
  capabilities() {
    return { reloadEnvironment: true }
  }

  async init() {
    this.#processes = await openProcesses(this.#options.live)
  }

  async dryRun() {
    const { testTimeout } = this.#options.live
    const files = await this.#processes.files()
    const passes = [[], []]
    // Twice: what only the first one reaches runs while modules load.
    for (const pass of passes) {
      for (const file of files) {
        const answer = await this.#processes.run({ file, isDry: true, testTimeout }, { forMs: 10 * 60_000 })
        const message = answer ? answer.failure?.message : 'hangs'
        if (message) return { status: 'error', errorMessage: `${file}: ${message}` }
        pass.push({ file, ...answer })
      }
    }
    for (const { file, finished } of passes[1]) {
      for (const { id, duration } of finished) this.#tests.set(id, { id, file, ms: duration })
    }
    const tests = passes[1].flatMap(({ file, finished }) => finished.map((test) => describeTest(file, test)))
    return { status: 'complete', tests, mutantCoverage: joinCoverage(passes) }
  }

  async mutantRun({ activeMutant: { id, fileName }, testFilter, hitLimit, reloadEnvironment, mutantActivation }) {
    const tests = (testFilter ?? [...this.#tests.keys()]).map((test) => this.#tests.get(test))
    const killers = this.#killers.get(fileName) ?? []
    const { status, by, message } = await tryMutant({
      mutant: { id, hitLimit, isStatic: mutantActivation === 'static' && reloadEnvironment },
      steps: orderSteps({ tests, killers, all: [...this.#tests.values()] }),
      processes: this.#processes,
      limits: this.#options.live,
      lessons: this.#lessons,
    })
    if (by) this.#killers.set(fileName, [by, ...killers.filter((other) => other !== by)].slice(0, 20))
    return { status, killedBy: by && [by], failureMessage: message, reason: message, nrOfTests: tests.length }
  }

  async dispose() {
    await this.#processes?.close()
  }
}

function describeTest(file, { id, name, at, duration }) {
  const startPosition = at && { line: at.line - 1, column: at.column - 1 }
  const fileName = relative(process.cwd(), file)
  return { id, name, fileName, startPosition, timeSpentMs: Math.ceil(duration), status: 0 }
}

/**
 * What a file reaches outside of its tests is reached anew each time that it runs, by all of them; what it reaches in the
 * first pass alone, or more often, runs while modules load.
 */
function joinCoverage([cold, warm]) {
  const joined = { static: {}, perTest: {} }
  for (const [index, { finished, coverage: again }] of warm.entries()) {
    const first = cold[index].coverage
    for (const perTest of [first.perTest, again.perTest]) {
      for (const [test, hits] of Object.entries(perTest)) joined.perTest[test] = most(joined.perTest[test], hits)
    }
    for (const { id } of finished) joined.perTest[id] = most(joined.perTest[id], again.static)
    const loading = Object.entries(first.static).filter(([mutant, hits]) => hits > (again.static[mutant] ?? 0))
    joined.static = most(joined.static, Object.fromEntries(loading))
  }
  return joined
}

/** How often each mutant is reached at most. */
function most(hits = {}, others = {}) {
  const counts = Object.entries(others).map(([mutant, count]) => [mutant, Math.max(hits[mutant] ?? 0, count)])
  return { ...hits, ...Object.fromEntries(counts) }
}

function createLiveRunner(options) {
  return new LiveRunner(options)
}
createLiveRunner.inject = ['options']

export const strykerPlugins = [{ kind: 'TestRunner', name: 'live', factory: createLiveRunner }]
