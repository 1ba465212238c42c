/** The packages that are judged. Those with `servers` run their tests on a PostgreSQL and a Redis, too. */
export const plan = {
  sessions: {},
  store: {},
  redis: { servers: true },
  // In these, processes of their own do the work, which no mutant reaches.
  sql: { servers: true, without: ['exactly-once.services', 'skewed-clocks.services', 'killed-process'] },
  accounts: {},
}

/** At least this part of all mutants must be noticed, in per cent. */
export const requiredScore = 95

/** What is changed: all sources but the face of the package and the kits, which broken stores prove. */
export function mutatedFiles(name, files) {
  const chosen = files.length > 0 ? files : [`packages/${name}/src/**/*.ts`]
  return [...chosen, '!**/src/index.ts', '!**/src/testing.ts', '!**/testing/**']
}

/** What judges the kits and not the stores: broken stores, and the words of the reports. */
const testsOfKits = ['!**/test/**/broken*.test.ts', '!**/test/**/kit-reports.test.ts', '!**/test/**/node-test.test.ts']

/** The tests of the package itself: what only tests of other packages notice does not count. */
export function testsOf(name) {
  const { servers = false, without = [] } = plan[name]
  const left = [...without, ...(servers ? [] : ['*.services'])].map((file) => `!**/${file}.test.ts`)
  return [`packages/${name}/test/**/*.test.ts`, ...testsOfKits, ...left]
}
