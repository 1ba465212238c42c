import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { filesOfOneProcess, filesThatMeasure } from './scripts/one-process.ts'
import { onlyInSecondTier } from './scripts/second-tier.ts'
import { useTemporaryFolder } from './scripts/temporary-folder.ts'

useTemporaryFolder()

// Many test files run in a process each, and many start programs: the cache spares later processes the compilation.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))

const conditions = ['@latchkey/source', 'module', 'node', 'development|production']

/** docs/contributing/tests.md, Three tiers. */
const tier = Number(process.env.TEST_TIER ?? 1)
if (![1, 2, 3].includes(tier)) throw new Error(`TEST_TIER must be 1, 2 or 3, not ${process.env.TEST_TIER}`)
const isLong = tier === 3
const inLaterTiers = tier >= 2 ? [] : onlyInSecondTier

/** Tests on real servers, which packages/test-services starts, and other tests that take too long for `npm test`. */
const onServers = '{packages,examples}/*/test/**/*.services.test.ts'

/** Tests in other runtimes than Node.js, which development dependencies install. */
const onRuntimes = '{packages,examples}/*/test/**/*.runtimes.test.ts'

/** Tests in chromium, if it is installed. A step of a visit takes as long as a hundred other tests. */
const onBrowsers = '{packages,examples}/*/test/**/*browser.test.ts'

/** Tests on servers and in chromium wait for other processes half of the time. */
const workersOfWaiting = 3

/** Tests that use the whole machine: no other test can run at the same time. */
const filling = [
  'examples/quickstart/test/servers/{first-flood,guessing-at-four,soak}.services.test.ts',
  'packages/server/test/framing/framing.services.test.ts',
]
const measuring = filesThatMeasure(onServers)
const alone = [...measuring, ...filling]

/** Set-up of tests on the quickstart: a bundle for its processes, and a process that several test files share. */
const bundling = 'examples/quickstart/test/support/bundled-quickstart.ts'
const sharing = 'examples/quickstart/test/support/shared-quickstart.ts'

/** Most tests on servers can run one after the other in the same process. */
const servicesTogether = filesOfOneProcess([onServers])
const services = {
  extends: true as const,
  test: {
    name: 'services',
    include: [onServers],
    exclude: [...alone, ...servicesTogether],
    globalSetup: ['packages/test-services/src/global-setup.ts', bundling],
    sequence: { groupOrder: 1 },
    maxWorkers: workersOfWaiting,
  },
}

const servicesInOneProcess = {
  ...services,
  test: { ...services.test, name: 'services-together', include: servicesTogether, exclude: alone, isolate: false },
}

/** Tests that measure the time until a fault is answered. They wait for deadlines, and need little of the machine. */
const faults = {
  ...services,
  test: {
    ...services.test,
    name: 'faults',
    include: measuring,
    exclude: filling,
    sequence: { groupOrder: 4 },
  },
}

/** Tests that fill the machine, one file at a time. */
const faultsAlone = {
  ...services,
  test: {
    ...services.test,
    name: 'faults-alone',
    include: filling,
    exclude: [],
    sequence: { groupOrder: 5 },
    maxWorkers: 1,
  },
}

const runtimes = {
  extends: true as const,
  test: {
    name: 'runtimes',
    include: [onRuntimes],
    sequence: { groupOrder: 1 },
    maxWorkers: workersOfWaiting,
    // The other runtime has one thread for all of its work, including hashes in JavaScript.
    testTimeout: 180_000,
  },
}

const browsers = {
  extends: true as const,
  test: {
    name: 'browsers',
    include: [onBrowsers],
    globalSetup: [bundling, sharing],
    sequence: { groupOrder: 1 },
    maxWorkers: workersOfWaiting,
  },
}

/** Tests of the code for runtimes without the API of Node.js: `#hashes` and `#gcm` resolve to `default`, not to `node`. */
const portableTests = 'packages/{bytes,jwt}/test/**/portable.test.ts'
const portable = {
  extends: true as const,
  resolve: {
    alias: [
      {
        find: /^#hashes$/,
        replacement: fileURLToPath(new URL('packages/bytes/src/portable-hashes.ts', import.meta.url)),
      },
      {
        find: /^#gcm$/,
        replacement: fileURLToPath(new URL('packages/bytes/src/portable-gcm.ts', import.meta.url)),
      },
    ],
  },
  test: { name: 'portable', include: [portableTests, 'packages/bytes/test/**/*.test.ts'], isolate: false },
}

const testsOfGraphql = 'packages/graphql/test/**/*.test.ts'

/** Nexus does not support releases after graphql 16. */
const on16Only = 'packages/graphql/test/rules/nexus.test.ts'

/** Compares the executor for graphql 17 with `execute` of graphql, which executes all operations on graphql 16. */
const on17Only = 'packages/graphql/test/execution/lean-execution.test.ts'

/** Tests that need a quiet machine: in the third tier, after all other tests. */
const onQuietMachines = [
  'packages/graphql/test/handler/hostile-neighbour.test.ts',
  'packages/server/test/overload/neighbours.test.ts',
  'packages/server/test/simulation/planted/planted.test.ts',
]
const quiet = {
  extends: true as const,
  test: {
    name: 'quiet',
    include: onQuietMachines,
    sequence: { groupOrder: 2 },
    fileParallelism: false,
  },
}

/** Kits on failing backends: they mostly wait for deadlines, so all of them run at once, after the other tests. */
const onDeadlines = [
  'packages/store/test/{counter-stores,kit-reports}.test.ts',
  'packages/store/test/durable/*.test.ts',
  'packages/accounts/test/stores/{account-outages,directory-outages,identity-store,profile-store}.test.ts',
  'packages/{jwt,rbac}/test/*-store-kit.test.ts',
]
// Vitest silently ignores groups with an order below 0.
const waiting = {
  extends: true as const,
  test: {
    name: 'waiting',
    include: onDeadlines,
    exclude: [...inLaterTiers],
    sequence: { groupOrder: 3 },
    maxWorkers: 20,
  },
}

/** Files that `npm test` runs on graphql 16: one for each behaviour that differs from graphql 17. */
const decidingTests = [
  on16Only,
  'packages/graphql/test/access/{decisions,graphql-version,sealed-access}.test.ts',
  'packages/graphql/test/documents/{conditions,introspection}.test.ts',
  'packages/graphql/test/handler/{masked-errors,status-table}.test.ts',
]

/** Files that the second tier runs on graphql 16. The third tier runs all. */
const decidingTestsOfSecondTier = [
  ...decidingTests,
  'packages/graphql/test/access/{credential-fields,nested-ownership}.test.ts',
  'packages/graphql/test/access/{plan-against-execution,publication,root-ownership,seal}.test.ts',
  'packages/graphql/test/documents/{cost,hidden-schema,limits,scalar-errors}.test.ts',
  'packages/graphql/test/documents/documents.test.ts',
  'packages/graphql/test/execution/failing-lists.test.ts',
  'packages/graphql/test/handler/{audits,request-checks,status-table-requests}.test.ts',
  'packages/graphql/test/rules/rule-coverage.test.ts',
  'packages/graphql/test/subscriptions/subscriptions.test.ts',
  'packages/server/test/service/schema-in-text.test.ts',
]

/**
 * Files that run one after the other in the same process, which loads the sources and their dependencies once. A process
 * for each file would spend more time on loading than on testing.
 */
const together = filesOfOneProcess(['packages/*/test/**/*.test.ts'])
const inOtherProjects = [
  ...[onServers, onRuntimes, onBrowsers, portableTests, on16Only],
  ...[...onQuietMachines, ...onDeadlines, ...inLaterTiers],
]

const on16 = {
  1: decidingTests,
  2: decidingTestsOfSecondTier,
  3: [...decidingTestsOfSecondTier, testsOfGraphql],
}[tier as 1 | 2 | 3]

/** Tests on the oldest supported release of `graphql`, which replaces the installed release. */
const graphql16 = {
  extends: true as const,
  resolve: {
    alias: [
      {
        find: /^graphql$/,
        replacement: fileURLToPath(new URL('packages/graphql/node_modules/graphql-16/index.mjs', import.meta.url)),
      },
      {
        // Node.js would load the CommonJS modules of Nexus, to which the alias above does not apply.
        find: /^nexus$/,
        replacement: fileURLToPath(new URL('packages/graphql/node_modules/nexus/dist-esm/index.js', import.meta.url)),
      },
    ],
  },
  test: {
    name: 'graphql-16',
    env: { GRAPHQL_MAJOR: '16' },
    include: on16,
    exclude: [...onQuietMachines, on17Only, ...filesOfOneProcess(on16)],
    server: { deps: { inline: ['@pothos/core', 'graphql-http', 'graphql-sse', 'graphql-ws', 'nexus'] } },
  },
}

const graphql16Together = {
  ...graphql16,
  test: {
    ...graphql16.test,
    name: 'graphql-16-together',
    include: filesOfOneProcess(on16),
    exclude: [...onQuietMachines, on17Only],
    isolate: false,
  },
}

/** The projects that the second tier adds. */
const secondTier = [services, servicesInOneProcess, faults, faultsAlone, runtimes, browsers]

/** Test files of other tiers, which a run lists at its end. */
const left = [
  {
    by: 'TEST_TIER=2 and .ci/run',
    what: 'all tests in',
    include: tier >= 2 ? [] : [onServers, onRuntimes, onBrowsers, ...onlyInSecondTier],
  },
  { by: 'TEST_TIER=3', what: 'all tests in', include: isLong ? [] : onQuietMachines },
  {
    by: 'TEST_TIER=3',
    what: 'some tests or more cases in',
    include: isLong ? [] : ['{packages,examples}/*/test/**/*.test.ts'],
    reading: 'process.env.TEST_TIER',
  },
  {
    by: 'TEST_TIER=2 and .ci/run',
    what: 'on graphql 16, as they run on the newest one,',
    include: tier >= 2 ? [] : decidingTestsOfSecondTier,
    exclude: decidingTests,
  },
  {
    by: 'TEST_TIER=3',
    what: 'on graphql 16, as they run on the newest one,',
    include: isLong ? [] : [testsOfGraphql],
    exclude: decidingTestsOfSecondTier,
  },
]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    reporters: ['default', ['./scripts/tiers-reporter.mjs', { left }], './scripts/tally-reporter.mjs'],
    // Tests wait for processes and sockets half of the time: one worker per core would leave cores idle.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    setupFiles: ['scripts/property-seed.mjs'],
    // These stop tests that hang and measure nothing: tests take many times as long on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 30_000, interval: 20 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'packages',
          include: ['packages/*/test/**/*.test.ts'],
          exclude: [...inOtherProjects, ...together],
        },
      },
      {
        extends: true,
        test: { name: 'together', include: together, exclude: inOtherProjects, isolate: false },
      },
      waiting,
      portable,
      ...(tier >= 2 ? secondTier : []),
      graphql16,
      graphql16Together,
      ...(isLong ? [quiet] : []),
      {
        extends: true,
        test: {
          name: 'examples',
          include: ['examples/*/test/**/*.test.ts'],
          exclude: ['examples/quickstart/**', onServers, onRuntimes, onBrowsers, ...inLaterTiers],
        },
      },
      {
        extends: true,
        test: {
          name: 'quickstart',
          include: ['examples/quickstart/test/**/*.test.ts'],
          exclude: [onServers, onRuntimes, onBrowsers, ...inLaterTiers],
          globalSetup: [sharing],
        },
      },
      {
        extends: true,
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            checker: 'tsc',
            // `npm run types` checks the types of all other tests.
            tsconfig: 'tsconfig.types.json',
            include: ['packages/*/test/**/*.test-d.ts'],
          },
        },
      },
    ],
  },
})
