// What is said of a mutant, and when. A process that has run other mutants may be broken by them: a test that fails there says
// nothing unless it passes without the mutant and fails with it once more, and a mutant that lives there is tried again in
// a process that has loaded nothing.

/** Processes are replaced after so many runs, and when they have grown by what mutants left behind. */
const mostRuns = 2_000
const mostMemory = 1.5e9

/** What is learned of tests while mutants are tried. */
export function createLessons() {
  return {
    /** Files whose tests stand on each other, so that they run as a whole. */
    entire: new Set(),
    /** Tests that have passed in a process which had loaded nothing else. */
    passing: new Set(),
  }
}

/**
 * Tries a mutant with tests until one of them notices it. Returns `status`, `killed`, `timeout` or `survived`, and for the
 * first two `by`, the id of the test.
 *
 * @param mutant `id`, `hitLimit`, and `isStatic` when it is reached while modules load, which needs a new process
 * @param steps what to run, in this order: `file`, and the `tests` of it by their ids with their durations, `ms`, out of `all`
 * @param processes what `openProcesses` returns
 * @param limits `testTimeout`, and `slackMs`, how much later than that a file hangs
 */
export async function tryMutant(given) {
  const { mutant, processes } = given
  const { runs, memory } = processes.state()
  const isUsedUp = mutant.isStatic ? !processes.isFresh() : runs > mostRuns || memory > mostMemory
  if (isUsedUp) await processes.start()
  for (;;) {
    const isLast = processes.isFresh()
    const verdict = await tryOnce({ ...given, isLast })
    if (verdict) return verdict
    // What a mutant has done while modules load stays done.
    if (!isLast || mutant.isStatic) await processes.start()
    if (isLast) return { status: 'survived' }
  }
}

async function tryOnce({ mutant, steps, lessons, isLast, ...given }) {
  const run = (step, id, patience) => runStep({ step, mutant: id, hitLimit: mutant.hitLimit, patience, ...given })
  const done = new Set()
  for (const planned of steps) {
    const step = widen(planned, lessons)
    if (done.has(step.tests)) continue
    done.add(step.tests)
    const found = await run(step, mutant.id, quickly)
    if (found.passed) continue
    if (await isConfirmed({ step, found, mutant, run, lessons, ...given })) {
      const status = found.hangs || found.isOverLimit ? 'timeout' : 'killed'
      return { status, by: found.test ?? step.tests[0].id, message: found.message }
    }
    if (!isLast) return undefined
    await given.processes.start()
  }
  return undefined
}

function widen(step, { entire }) {
  return entire.has(step.file) ? { ...step, tests: step.all } : step
}

/** Whether what has failed passes without the mutant, and fails with it once more: the test alone, or all that has run. */
async function isConfirmed({ step, found, lessons, ...given }) {
  const alone = found.test ? [step.tests.filter(({ id }) => id === found.test)] : []
  for (const tests of lessons.entire.has(step.file) ? [step.tests] : [...alone, step.tests]) {
    if (await isConfirmedBy({ step: { ...step, tests }, found, lessons, ...given })) return true
  }
  return false
}

async function isConfirmedBy({ step, found, mutant, run, lessons, processes }) {
  // The process that has run the mutant is over, or has loaded it.
  const isOver = found.hangs || mutant.isStatic
  if (!isOver && (await run(step)).passed && !(await run(step, mutant.id)).passed) return true
  // What ran without the mutant may have kept what the mutant would have changed.
  if (!(await passesAnew({ step, run, lessons, processes }))) return false
  await processes.start()
  const { passed } = await run(step, mutant.id)
  if (isOver) await processes.start()
  return !passed
}

/** Whether it passes in a process that has loaded nothing. */
async function passesAnew({ step: { file, tests, all }, run, lessons: { passing, entire }, processes }) {
  const key = tests.map(({ id }) => id).join()
  if (passing.has(key)) return true
  await processes.start()
  if ((await run({ file, tests })).passed) passing.add(key)
  else if (tests.length < all.length) entire.add(file)
  return passing.has(key)
}

/** A test that hangs has noticed the mutant, and need not be waited for as long as in a run that is to pass. */
const quickly = { ms: 1_000, times: 5 }
/** What has loaded nothing is slower, and what is only slow has noticed nothing. */
const patiently = { ms: 5_000, times: 25 }

async function runStep({ step: { file, tests }, mutant, hitLimit, patience = patiently, processes, limits }) {
  const expected = tests.reduce((sum, { ms }) => sum + ms, 0)
  const longest = Math.max(...tests.map(({ ms }) => ms))
  const testTimeout = Math.min(limits.testTimeout, patience.ms + patience.times * longest)
  const command = { file, tests: tests.map(({ id }) => id), mutant, hitLimit, testTimeout }
  const answer = await processes.run(command, { forMs: testTimeout + limits.slackMs + patience.times * expected })
  if (!answer) return { passed: false, hangs: true, message: 'hangs' }
  const { failure, isOverLimit } = answer
  return {
    passed: !failure && !isOverLimit,
    isOverLimit,
    test: failure?.test,
    message: failure?.message ?? 'hangs',
  }
}
