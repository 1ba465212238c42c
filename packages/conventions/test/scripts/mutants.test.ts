import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { buildHouse, root } from '../build-house.ts'

const run = promisify(execFile)
const scripts = join(root, 'scripts/mutants')
const { forgetUnlisted, judge } = await import(join(scripts, 'judge.mjs'))
const { orderSteps } = await import(join(scripts, 'order-steps.mjs'))
const { createLessons, tryMutant } = await import(join(scripts, 'try-mutant.mjs'))
const { writeQueryWords } = await import(join(scripts, 'query-words.mjs'))
const { checkTests, roundsOf } = await import(join(scripts, 'rounds.mjs'))
const { findForgottenTests, plan } = await import(join(scripts, 'plan.mjs'))
const { strykerPlugins } = await import(join(scripts, 'ignore-words.mjs'))

interface Listed {
  readonly file: string
  readonly line: string
  readonly mutator: string
  readonly from: string
  readonly to: string
  readonly reason: string
}

const file = 'packages/a/src/a.ts'
const mutant = (status: string, replacement = 'a <= b') => ({
  mutatorName: 'EqualityOperator',
  replacement,
  status,
  location: { start: { line: 2, column: 10 }, end: { line: 2, column: 15 } },
})
const report = (...mutants: object[]) => ({
  files: { [file]: { source: 'function f(a, b) {\n  return a < b\n}\n', mutants } },
  originals: {},
})
const killed = Array.from({ length: 19 }, () => mutant('Killed'))
const entry: Listed = {
  file,
  line: 'return a < b',
  mutator: 'EqualityOperator',
  from: 'a < b',
  to: 'a <= b',
  reason: 'they are never equal',
}

test('a survivor fails a run unless it is listed, and is named by its line', () => {
  expect(judge(report(...killed, mutant('Survived')), [])).toMatchObject({
    passed: false,
    score: 95,
    unlisted: [{ file, at: 2, line: 'return a < b', from: 'a < b', to: 'a <= b' }],
  })
  expect(judge(report(...killed, mutant('Survived')), [entry])).toMatchObject({ passed: true, unlisted: [], stale: [] })
})

test('a mutant that no test reaches is a survivor, one that makes the tests hang is named, and what is ignored is neither', () => {
  const judged = judge(report(mutant('NoCoverage'), mutant('Timeout'), mutant('Ignored')), [entry])
  expect(judged).toMatchObject({ score: 50, mutants: 2, hanging: [{ file, at: 2, from: 'a < b' }] })
})

test('a mutant of which the runner could say nothing is not noticed', () => {
  expect(judge(report(mutant('RuntimeError')), [])).toMatchObject({ score: 0, unlisted: [{ status: 'RuntimeError' }] })
})

test('less than 95 % is a failure, however well the survivors are explained', () => {
  expect(judge(report(...killed.slice(1), mutant('Survived')), [entry])).toMatchObject({ passed: false, unlisted: [] })
})

test('a listed survivor that a test notices now is stale, and one of a file that was not judged is not', () => {
  const elsewhere = { ...entry, file: 'packages/a/src/b.ts' }
  expect(judge(report(...killed), [entry, elsewhere])).toMatchObject({ passed: true, stale: [entry] })
})

test('of what an earlier run has kept, survivors without a reason are judged anew', () => {
  const kept = report(mutant('Killed'), mutant('Survived'), mutant('NoCoverage', 'a >= b'), mutant('Survived', 'true'))
  const { files } = kept
  expect(forgetUnlisted(kept, [entry])).toEqual({
    [file]: { ...files[file], mutants: [mutant('Killed'), mutant('Survived')] },
  })
  expect(forgetUnlisted(kept, [])).toEqual({ [file]: { ...files[file], mutants: [mutant('Killed')] } })
})

test('each word that decides in a query is a mutant of its own', async () => {
  const query = "const get = 'select value from records where key = $1 and expires_at > $2'"
  const source = `${query}\nconst text = 'remove <= and not a query'\nexport const answer = () => [get, text]\n`
  const { root: folder } = buildHouse({ [file]: source })
  const originals = writeQueryWords(folder, 'a')
  expect(originals[file].words).toEqual([
    [' = ', ' <> '],
    [' and ', ' or '],
    [' > ', ' >= '],
  ])
  const { answer } = await import(join(folder, file))
  expect(answer()[0]).toBe('select value from records where key = $1 and expires_at > $2')

  const written = readFileSync(join(folder, file), 'utf8')
  const column = written.indexOf('true, 2') + 1
  const location = { start: { line: 1, column }, end: { line: 1, column: column + 4 } }
  const survivor = { mutatorName: 'BooleanLiteral', replacement: 'false', status: 'Survived', location }
  const { unlisted } = judge({ files: { [file]: { source: written, mutants: [survivor] } }, originals }, [])
  expect(unlisted).toMatchObject([{ mutator: 'QueryWord', line: query, from: '>', to: '>=' }])
})

interface Command {
  readonly file: string
  readonly tests: readonly string[]
  readonly mutant?: string
  readonly testTimeout?: number
}

/** Processes in which files run as `fails` says: which test fails, in a process that has run these commands before. */
function processesWhere(fails: (command: Command, earlier: readonly Command[]) => string | 'hangs' | undefined) {
  let earlier: Command[] = []
  const runs: Command[][] = [earlier]
  return {
    runs,
    async start() {
      earlier = []
      runs.push(earlier)
    },
    isFresh: () => earlier.length === 0,
    state: () => ({ runs: earlier.length, memory: 0 }),
    async run(command: Command) {
      const failed = fails(command, [...earlier])
      earlier.push(command)
      if (failed === 'hangs') return undefined
      return { ...(failed && { failure: { test: failed, message: 'expected' } }), isOverLimit: false, memory: 0 }
    },
  }
}
const testsOf = (file: string, ...ids: string[]) => ids.map((id) => ({ id, file, ms: id.length }))
const tryWith = (
  processes: ReturnType<typeof processesWhere>,
  { isStatic = false, files = [testsOf('a', 'a1', 'a2')], testTimeout = 1000 } = {},
) =>
  tryMutant({
    mutant: { id: 'm', hitLimit: 100, isStatic },
    steps: orderSteps({ tests: files.flat(), killers: [], all: files.flat() }),
    processes,
    limits: { testTimeout, slackMs: 1000 },
    lessons: createLessons(),
  })
const used: Command = { file: 'a', tests: ['a1'], mutant: 'other' }

test('a test has noticed a mutant when it fails, passes without the mutant, and fails with it once more', async () => {
  const processes = processesWhere(({ mutant, tests }) => (mutant === 'm' && tests.includes('a2') ? 'a2' : undefined))
  expect(await tryWith(processes)).toMatchObject({ status: 'killed', by: 'a2' })
  expect(processes.runs).toMatchObject([[{ mutant: 'm' }, { mutant: undefined, tests: ['a2'] }, { mutant: 'm' }]])
})

test('a failure in a process that earlier mutants have broken says nothing', async () => {
  const processes = processesWhere((_command, earlier) => (earlier.includes(used) ? 'a1' : undefined))
  await processes.run(used)
  expect(await tryWith(processes)).toEqual({ status: 'survived' })
  expect(processes.runs.length).toBeGreaterThan(1)
})

test('a failure that does not come again says nothing', async () => {
  let failures = 1
  const processes = processesWhere(({ mutant }) => (mutant && failures-- > 0 ? 'a1' : undefined))
  expect(await tryWith(processes)).toEqual({ status: 'survived' })
})

test('a mutant that a run without it hides from later ones fails a test in a new process', async () => {
  const processes = processesWhere(({ mutant }, earlier) => {
    return mutant && earlier.every((command) => command.mutant) ? 'a1' : undefined
  })
  expect(await tryWith(processes)).toMatchObject({ status: 'killed', by: 'a1' })
})

test('a mutant that lives where others have run is tried again in a new process', async () => {
  const processes = processesWhere(({ mutant }, earlier) => (mutant && !earlier.includes(used) ? 'a1' : undefined))
  await processes.run(used)
  expect(await tryWith(processes)).toMatchObject({ status: 'killed', by: 'a1' })
})

test('a mutant hangs when it does so in two processes, and its test passes without it', async () => {
  const hanging = processesWhere(({ mutant }) => (mutant ? 'hangs' : undefined))
  expect(await tryWith(hanging)).toMatchObject({ status: 'timeout' })
  const slow = processesWhere(() => 'hangs')
  expect(await tryWith(slow)).toEqual({ status: 'survived' })
})

test('a test that is slow with a mutant has not noticed it: it has five times as long for the second time', async () => {
  const hardly = processesWhere(({ mutant, testTimeout = 0 }) => (mutant && testTimeout < 5000 ? 'a1' : undefined))
  expect(await tryWith(hardly, { testTimeout: 9000 })).toEqual({ status: 'survived' })
  const never = processesWhere(({ mutant }) => (mutant ? 'a1' : undefined))
  expect(await tryWith(never, { testTimeout: 9000 })).toMatchObject({ status: 'killed' })
  expect(never.runs.flat().map(({ testTimeout }) => testTimeout)).toEqual([1010, 5050, 5050])
})

test('a mutant that is reached while modules load runs in processes of its own', async () => {
  const processes = processesWhere(({ mutant }) => (mutant ? 'a1' : undefined))
  await processes.run(used)
  expect(await tryWith(processes, { isStatic: true })).toMatchObject({ status: 'killed', by: 'a1' })
  for (const commands of processes.runs) expect(new Set(commands.map(({ mutant }) => mutant)).size).toBeLessThan(2)
  expect(processes.isFresh()).toBe(true)
})

test('tests that stand on each other run as a whole', async () => {
  const processes = processesWhere(({ mutant, tests, file }) => {
    if (file === 'a') return mutant || tests.length < 2 ? 'a2' : undefined
    return undefined
  })
  expect(await tryWith(processes)).toMatchObject({ status: 'killed', by: 'a2' })
})

test('tests that have noticed a mutant of the source are tried first, then their files, and then the others by how long they take', () => {
  const all = [...testsOf('slow', 'slowest', 'slower'), ...testsOf('quick', 'q1', 'q2')]
  const steps = orderSteps({ tests: all, killers: ['slower', 'gone'], all })
  expect(steps.map(({ tests }: { tests: { id: string }[] }) => tests.map(({ id }) => id))).toEqual([
    ['slower'],
    ['slowest', 'slower'],
    ['q1', 'q2'],
  ])
})

const inRounds = (...rounds: object[]) => {
  const { root: workspace } = buildHouse(
    ...[
      'src/room/a.ts',
      'src/room/b.ts',
      'src/room/testing/kit.ts',
      'test/room/a.test.ts',
      'test/b.services.test.ts',
    ].map((path) => ({ [`packages/one/${path}`]: '' })),
  )
  return { workspace, entry: { servers: true, without: ['killed'], rounds } }
}
const roundOfA = { sources: ['a'], tests: ['a'], testTimeout: 9000 }
const roundOfB = { sources: ['b'], tests: ['a', 'b.services'] }

test('a room in rounds has a run for each, with the tests that judge its sources and their limit', () => {
  const [first, second, ...others] = roundsOf('one/room', [], inRounds(roundOfA, roundOfB))
  expect(others).toEqual([])
  expect(first).toMatchObject({
    mutate: ['packages/one/src/room/a.ts'],
    tests: { include: ['packages/one/test/**/a.test.ts'], testTimeout: 9000 },
  })
  expect(second).toMatchObject({
    mutate: ['packages/one/src/room/b.ts'],
    tests: { include: ['packages/one/test/**/a.test.ts', 'packages/one/test/**/b.services.test.ts'] },
  })
  for (const { tests } of [first, second]) expect(tests.exclude).toContain('**/killed.test.ts')
})

test('a pattern in a round stands for the sources that no round names', () => {
  const [first, second] = roundsOf('one/room', [], inRounds({ ...roundOfA, sources: ['*'] }, roundOfB))
  expect([first?.mutate, second?.mutate]).toEqual([['packages/one/src/room/a.ts'], ['packages/one/src/room/b.ts']])
})

test('with files only the rounds run that change one of them', () => {
  const rounds = inRounds(roundOfA, roundOfB)
  const mutate = ['packages/one/src/room/b.ts']
  expect(roundsOf('one/room', ['packages/one/src/room/b.ts'], rounds)).toMatchObject([{ mutate }])
  expect(roundsOf('one/room', ['packages/one/src/**/b*.ts'], rounds)).toMatchObject([{ mutate }])
  expect(() => roundsOf('one/room', ['packages/one/src/room/c.ts'], rounds)).toThrow(
    'changes packages/one/src/room/c.ts',
  )
})

test.each([
  ['a source that is in no round', [roundOfA], 'b is in no round'],
  ['a source that is in two', [roundOfA, roundOfB, { sources: ['b'], tests: ['a'] }], 'b is in two rounds'],
  ['a source that does not exist', [roundOfA, roundOfB, { sources: ['c'], tests: ['a'] }], 'no source is c'],
  ['a test that does not exist', [roundOfA, { sources: ['b'], tests: ['c'] }], 'no test is c'],
])('rounds are refused for %s', (_what, rounds, complaint) => {
  expect(() => roundsOf('one/room', [], inRounds(...rounds))).toThrow(`the rounds of one/room: ${complaint}`)
})

test.each(Object.keys(plan))('what is planned for %s can be run: its rounds are complete', (name) => {
  expect(roundsOf(name).length).toBe(plan[name].rounds?.length ?? 1)
})

test('a test that is in no round of a package, nor left out, is named', () => {
  const entries = {
    one: { without: ['slow'], rounds: [roundOfA] },
    'one/room': { rounds: [roundOfB] },
    two: { rounds: [{ sources: ['*'], tests: ['c'] }] },
  }
  const tests = ['a', 'b.services', 'broken-stores', 'c', 'slow'].map(
    (name) => `packages/one/test/room/${name}.test.ts`,
  )
  expect(findForgottenTests('one', tests, entries)).toEqual(['packages/one/test/room/c.test.ts'])
})

test.each(Object.keys(plan))('each test of the package of %s judges in a round, or is left out on purpose', (name) => {
  checkTests(name)
})

test('sentences of errors and tables of options are not changed, and codes are', () => {
  const [{ value: ignorer }] = strykerPlugins
  const given = (node: object, name = 'StoreError') => {
    return ignorer.shouldIgnore({ node, parent: { type: 'NewExpression', callee: { name } } })
  }
  expect(given({ type: 'StringLiteral', value: 'the store is closed' })).toMatch(/^words for a developer/)
  expect(given({ type: 'StringLiteral', value: 'STORE_UNAVAILABLE' })).toBeUndefined()
  expect(given({ type: 'StringLiteral', value: 'a key of a map' }, 'Map')).toBeUndefined()
})

test.each(readdirSync(join(scripts, 'survivors')))(
  'every survivor in %s has a reason and a line that exists',
  (name) => {
    const listed: readonly Listed[] = JSON.parse(readFileSync(join(scripts, 'survivors', name), 'utf8'))
    const identities = listed.map(({ reason, ...identity }) => JSON.stringify(identity))
    expect(new Set(identities).size).toBe(identities.length)
    for (const { file, line, reason } of listed) {
      expect(reason.length).toBeGreaterThan(20)
      expect(existsSync(join(root, file)), file).toBe(true)
      const lines = readFileSync(join(root, file), 'utf8').split('\n')
      expect(
        lines.map((text) => text.trim()),
        file,
      ).toContain(line)
    }
  },
)

test('the script says how it is used, and refuses a package that it does not know', async () => {
  const main = join(scripts, 'main.mjs')
  const words = ['--conditions=@latchkey/source', main]
  const { stdout } = await run(process.execPath, [...words, '--help'])
  expect(stdout).toMatch(
    /^usage: npm run mutants -- <package>[\s\S]* is judged in rounds: scripts\/mutants\/plan\.mjs says/,
  )
  await expect(run(process.execPath, [...words, 'nothing'])).rejects.toMatchObject({
    code: 2,
    stderr: 'mutants: name one of sessions, store, redis, sql, sql/postgres, accounts; --help says more\n',
  })
})
