/**
 * What is judged: packages, and rooms of packages. Those with `servers` run their tests on a PostgreSQL and a Redis, too;
 * in the tests of `without` other processes do the work, which no mutant reaches.
 */
export const plan = {
  sessions: {},
  store: {},
  redis: { servers: true },
  // What both databases share is judged on SQLite, and PostgreSQL by a run of its own.
  sql: { without: ['killed-process'] },
  'sql/postgres': { servers: true, without: ['killed-process', 'exactly-once.services', 'skewed-clocks.services'] },
  accounts: {},
}

/** At least this part of all mutants must be noticed, in per cent. */
export const requiredScore = 95

export function packageOf(name) {
  return name.split('/')[0]
}

/** What is changed: all sources but the face of the package and the kits, which broken stores prove. */
export function mutatedFiles(name, files) {
  const [folder, room] = name.split('/')
  const rooms = Object.keys(plan).filter((other) => other.startsWith(`${name}/`))
  const all = [
    `packages/${folder}/src/${room ? `${room}/` : ''}**/*.ts`,
    ...rooms.map((other) => `!packages/${folder}/src/${other.slice(name.length + 1)}/**`),
  ]
  return [...(files.length > 0 ? files : all), '!**/src/index.ts', '!**/src/testing.ts', '!**/testing/**']
}

/** What judges the kits and not the stores: broken stores, and the words of the reports. */
const testsOfKits = ['broken*', 'kit-reports', 'node-test']

/** The tests of the package itself: what only tests of other packages notice does not count. */
export function testsOf(name) {
  const { servers = false, without = [] } = plan[name]
  const left = [...testsOfKits, ...without, ...(servers ? [] : ['*.services'])]
  return {
    include: [`packages/${packageOf(name)}/test/**/*.test.ts`],
    exclude: ['**/node_modules/**', ...left.map((file) => `**/${file}.test.ts`)],
  }
}
