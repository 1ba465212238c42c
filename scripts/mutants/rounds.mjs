import { existsSync, readdirSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { root } from '../workspace.mjs'
import { findForgottenTests, isMutatedIn, mutatedFiles, packageOf, plan, sourcesOf, testsOf } from './plan.mjs'

/**
 * Returns the runs that judge a package or a room: `mutate`, what is changed, `tests`, what judges that, and `place`, its
 * place in the plan. It is one run unless the plan has rounds. What the tests of a round notice is noticed by the tests of the package, which are more.
 *
 * @param files only these sources, or patterns; all, when empty
 * @throws Error when a source is not in exactly one round, or a round names what does not exist.
 */
export function roundsOf(name, files = [], { workspace = root, entry = plan[name] } = {}) {
  if (!entry.rounds) return [{ place: 1, mutate: mutatedFiles(name, files), tests: testsOf(name, entry) }]
  const present = namesIn(workspace, sourcesOf(name), '.ts', (file) => isMutatedIn(name, file))
  const planned = sortIntoRounds(entry.rounds, present)
  checkRounds(name, { rounds: planned, present, workspace })
  const isChosen = (file) => files.length === 0 || files.some((pattern) => matchesGlob(file, pattern))
  const rounds = planned.map(({ sources, ...round }, index) => ({
    place: index + 1,
    mutate: sources.map((source) => `${sourcesOf(name)}/${source}.ts`).filter(isChosen),
    tests: testsOf(name, { ...entry, ...round }),
  }))
  const chosen = rounds.filter(({ mutate }) => mutate.length > 0)
  if (chosen.length === 0) throw new Error(`no round of ${name} changes ${files.join(', ')}`)
  return chosen
}

/** @throws Error where a test of the package judges in no round, and is not left out on purpose. */
export function checkTests(name) {
  const folder = `packages/${packageOf(name)}/test`
  const tests = namesIn(root, folder, '.test.ts').map((test) => `${folder}/${test}.test.ts`)
  const forgotten = findForgottenTests(packageOf(name), tests)
  if (forgotten.length > 0) throw new Error(`in no round of ${name}, nor left out: ${forgotten.join(', ')}`)
}

/** With the sources by name: a pattern stands for those that no round names. */
function sortIntoRounds(rounds, present) {
  const named = rounds.flatMap(({ sources }) => sources)
  const matched = (pattern) => present.filter((source) => !named.includes(source) && matchesGlob(source, pattern))
  return rounds.map(({ sources, ...round }) => ({
    ...round,
    sources: sources.flatMap((source) => (source.includes('*') ? matched(source) : source)),
  }))
}

function checkRounds(name, { rounds, present, workspace }) {
  const planned = rounds.flatMap(({ sources }) => sources)
  const tests = namesIn(workspace, `packages/${packageOf(name)}/test`, '.test.ts').map((path) => path.split('/').at(-1))
  const complaints = [
    ...present.filter((source) => !planned.includes(source)).map((source) => `${source} is in no round`),
    ...planned
      .filter((source, index) => planned.indexOf(source) !== index)
      .map((source) => `${source} is in two rounds`),
    ...planned.filter((source) => !present.includes(source)).map((source) => `no source is ${source}`),
    ...rounds
      .flatMap((round) => round.tests.filter((test) => !tests.includes(test)))
      .map((test) => `no test is ${test}`),
  ]
  if (complaints.length > 0) throw new Error(`the rounds of ${name}: ${[...new Set(complaints)].join('; ')}`)
}

/** The files in a folder and those below, without what their names end in. */
function namesIn(workspace, folder, ending, isWanted = () => true) {
  if (!existsSync(join(workspace, folder))) return []
  return readdirSync(join(workspace, folder), { recursive: true })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith(ending) && isWanted(`${folder}/${path}`))
    .map((path) => path.slice(0, -ending.length))
}
