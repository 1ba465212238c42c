import { matchesGlob } from 'node:path'
import { accountsRounds } from './accounts-rounds.mjs'

/**
 * What is judged: packages, and rooms of packages. Those with `servers` run their tests on a PostgreSQL and a Redis, too.
 * A test of `without` judges nothing: other processes do its work, which no mutant reaches, or it takes too long for each
 * mutant, such as with a server that it stops.
 *
 * Where all tests take minutes, so would every mutant that lives. `rounds` say which tests judge which sources, in one run
 * each: every source is in one of them, by its name, or by a pattern that takes those which no round names, and every test
 * is in at least one, or in `without`. `testTimeout` is how many milliseconds one of these tests may take: it hangs then.
 */
export const plan = {
  // All of them take half a second.
  sessions: { testTimeout: 5_000 },
  store: {
    rounds: [
      {
        sources: ['credential', 'errors'],
        tests: ['credential', 'misspelt-options', 'one-time-credentials', 'store-errors'],
        testTimeout: 10_000,
      },
      {
        sources: ['broadcast', 'broadcast-readers', 'memory/memory-broadcast'],
        tests: ['broadcast', 'misspelt-options'],
        testTimeout: 5_000,
      },
      {
        sources: ['one-time/*'],
        tests: ['misspelt-options', 'one-time-credentials', 'traced-credentials', 'traced-credentials-store'],
        testTimeout: 5_000,
      },
      {
        sources: ['values/*'],
        tests: ['stored-shape', 'version-stores'],
        testTimeout: 5_000,
      },
      {
        sources: ['memory/*', 'first-version'],
        tests: [
          'audit-heads',
          'audit-stores',
          'client-stores',
          'factor-stores',
          'grant-stores',
          'link-stores',
          'lockout-stores',
          'memory-stores',
        ],
        testTimeout: 5_000,
      },
      {
        sources: [
          '*',
          'memory/lazy-sweep',
          'memory/memory-counter-store',
          'memory/memory-owner-index',
          'memory/memory-record-store',
        ],
        tests: [
          'counter-stores',
          'memory-stores',
          'misspelt-options',
          'record-store-option',
          'record-stores',
          'traced-credentials-store',
        ],
        testTimeout: 15_000,
      },
    ],
  },
  redis: {
    servers: true,
    without: ['cluster.services', 'faults.services', 'silent-connections.services', 'store-outages.services'],
    rounds: [
      {
        // On a client without a server, where time passes as a test wants it.
        sources: ['redis-client', 'redis-stores', 'script-runner', 'server-clock', 'silence-watch'],
        tests: ['calls', 'options', 'script-runner', 'scripts-by-digest', 'server-clock', 'silence'],
        testTimeout: 10_000,
      },
      // A script that a mutant makes never end blocks the server of its round.
      ...[
        ['owner-index', 'redis-check', 'redis-counter-store', 'redis-record-store'],
        ['owner-index-scripts'],
        ['record-scripts'],
        ['redis-script'],
      ].map((sources) => ({
        sources,
        tests: [
          'calls',
          'check',
          'options',
          'script-runner',
          'scripts-by-digest',
          'server-clock',
          'redis-stores.services',
          'store-kits.services',
        ],
        testTimeout: 20_000,
      })),
    ],
  },
  // What both databases share is judged on SQLite, and PostgreSQL by a run of its own.
  sql: {
    without: [
      'audit-processes',
      'audit-processes.services',
      'exactly-once.services',
      'grants-of-four.services',
      'identities-of-four.services',
      'killed-process',
      'skewed-clocks.services',
      // The kits on files; those in memory judge.
      'store-kits',
    ],
    rounds: [
      {
        sources: ['*', 'sqlite/*'],
        tests: [
          'lock-attempts',
          'migrations',
          'misspelt-options',
          'outage',
          'reasons',
          'sqlite-errors',
          'sqlite-faults',
          'sqlite-stores',
        ],
        testTimeout: 15_000,
      },
      {
        sources: ['within-deadline'],
        tests: ['application-statements', 'broadcast-connection', 'postgres-deadline', 'postgres-given-up'],
        testTimeout: 5_000,
      },
      {
        sources: ['sql-stores', 'statements/*', 'stores/*'],
        tests: [
          'account-store',
          'audit-heads',
          'denial-store',
          'durable-stores',
          'floods',
          'joint-reads',
          'key-store',
          'outage',
          'passkey-races',
          'sqlite-stores',
          'store-kits-in-memory',
          'token-races',
          'totp-races',
        ],
        testTimeout: 15_000,
      },
      {
        // Its triggers keep what the kits hold.
        sources: ['migrations'],
        tests: ['migrations', 'audit-heads', 'account-store', 'durable-stores', 'store-kits-in-memory'],
        testTimeout: 15_000,
      },
    ],
  },
  'sql/postgres': {
    servers: true,
    without: [
      'postgres-broadcast.services',
      'postgres-faults.services',
      'postgres-kits.services',
      'postgres-outages.services',
      'silent-connections.services',
    ],
    rounds: [
      {
        sources: ['postgres-broadcast'],
        tests: ['broadcast-connection', 'misspelt-options', 'postgres-broadcast'],
        testTimeout: 5_000,
      },
      {
        sources: ['postgres-clock', 'server-time', 'postgres-writer', 'postgres-connection', 'repeat-undone'],
        tests: [
          'postgres-clock',
          'postgres-conflicts',
          'undone-changes',
          'pool-kinds',
          'postgres-locks.services',
          'postgres-stores.services',
        ],
        testTimeout: 20_000,
      },
      {
        sources: ['pg-driver', 'open-postgres-driver', 'postgres-driver', 'postgres-pool'],
        tests: [
          'pg-connections',
          'pool-kinds',
          'application-statements',
          'postgres-deadline',
          'postgres-given-up',
          'prepared-statements.services',
          'undone-changes',
        ],
        testTimeout: 20_000,
      },
      {
        sources: ['deadline-queue', 'statement-signal'],
        tests: ['many-deadlines', 'pg-connections', 'postgres-deadline', 'postgres-given-up', 'pool-kinds'],
        testTimeout: 5_000,
      },
      {
        sources: ['joint-reads', 'statement-name'],
        tests: ['joint-reads', 'prepared-statements.services', 'postgres-stores.services'],
        testTimeout: 20_000,
      },
      {
        sources: ['postgres-error', 'postgres-reasons'],
        tests: [
          'reasons',
          'undone-changes',
          'pg-connections',
          'application-statements',
          'postgres-stores.services',
          'prepared-statements.services',
        ],
        testTimeout: 20_000,
      },
      {
        sources: ['postgres-executor'],
        tests: [
          'application-statements',
          'misspelt-options',
          'pool-kinds',
          'postgres-conflicts',
          'postgres-executor.services',
        ],
        testTimeout: 20_000,
      },
      {
        sources: ['migrate-postgres', 'postgres-stores'],
        tests: [
          'application-statements',
          'misspelt-options',
          'pool-kinds',
          'postgres-stores.services',
          'prepared-statements.services',
        ],
        testTimeout: 20_000,
      },
    ],
  },
  accounts: { without: ['random-keys'], rounds: accountsRounds },
}

/** At least this part of all mutants must be noticed, in per cent. */
export const requiredScore = 95

export function packageOf(name) {
  return name.split('/')[0]
}

export function sourcesOf(name) {
  const [folder, room] = name.split('/')
  return `packages/${folder}/src${room ? `/${room}` : ''}`
}

/** What is changed: all sources but the face of the package and the kits, which broken stores prove. */
export function mutatedFiles(name, files) {
  const all = [`${sourcesOf(name)}/**/*.ts`, ...roomsIn(name).map((room) => `!${room}/**`)]
  return [...(files.length > 0 ? files : all), ...notMutated.map((pattern) => `!${pattern}`)]
}

const notMutated = ['**/src/index.ts', '**/src/testing.ts', '**/testing/**']

export function isMutatedIn(name, file) {
  return ![...notMutated, ...roomsIn(name).map((room) => `${room}/**`)].some((pattern) => matchesGlob(file, pattern))
}

/** The rooms of a package that are judged by runs of their own. */
function roomsIn(name) {
  return Object.keys(plan)
    .filter((other) => other.startsWith(`${name}/`))
    .map(sourcesOf)
}

/** What judges the kits and not the stores: broken stores, and the words of the reports. */
const testsOfKits = ['account-outages', 'broken*', 'directory-outages', 'kit-reports', 'node-test']

/** The tests of a package that judge in no round of its, and are not left out on purpose. */
export function findForgottenTests(name, tests, entries = plan) {
  const own = Object.entries(entries).filter(([entry]) => packageOf(entry) === name)
  const judging = own.flatMap(([entry, { rounds = [{}], ...shared }]) =>
    rounds.flatMap((round) => testsOf(entry, { ...shared, ...round }).include),
  )
  const leftOut = [...testsOfKits, ...own.flatMap(([, { without = [] }]) => without)]
  const patterns = [...judging, ...leftOut.map((file) => `**/${file}.test.ts`)]
  return tests.filter((test) => !patterns.some((pattern) => matchesGlob(test, pattern)))
}

/** The tests of the package itself: what only tests of other packages notice does not count. */
export function testsOf(name, { servers = false, without = [], tests = ['*'], testTimeout = 30_000 }) {
  const left = [...testsOfKits, ...without, ...(servers ? [] : ['*.services'])]
  return {
    include: tests.map((file) => `packages/${packageOf(name)}/test/**/${file}.test.ts`),
    exclude: ['**/node_modules/**', ...left.map((file) => `**/${file}.test.ts`)],
    testTimeout,
  }
}
