import { defineConfig } from 'vitest/config'

const conditions = ['@latchkey/source', 'module', 'node', 'development|production']

/** Tests on a real PostgreSQL or Redis: packages/test-services starts them. */
const onServers = '{packages,examples}/*/test/**/*.services.test.ts'

/** On real servers, by `LATCHKEY_SERVICES=1 npm test`: a minute more. `.ci/run` runs them as a step of their own. */
const services = {
  extends: true as const,
  test: {
    name: 'services',
    include: [onServers],
    globalSetup: ['packages/test-services/src/global-setup.ts'],
    // After the others and one file at a time: some of these measure how soon a fault is answered.
    sequence: { groupOrder: 1 },
    fileParallelism: false,
  },
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    reporters: ['default', './scripts/tally-reporter.mjs'],
    setupFiles: ['scripts/property-seed.mjs'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: 'packages', include: ['packages/*/test/**/*.test.ts'], exclude: [onServers] } },
      ...(process.env.LATCHKEY_SERVICES === '1' ? [services] : []),
      {
        extends: true,
        test: {
          name: 'examples',
          include: ['examples/*/test/**/*.test.ts'],
          exclude: ['examples/quickstart/**', onServers],
        },
      },
      {
        extends: true,
        test: {
          name: 'quickstart',
          include: ['examples/quickstart/test/**/*.test.ts'],
          exclude: [onServers],
          globalSetup: ['examples/quickstart/test/support/shared-quickstart.ts'],
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
            tsconfig: 'tsconfig.test.json',
            include: ['packages/*/test/**/*.test-d.ts'],
          },
        },
      },
    ],
  },
})
