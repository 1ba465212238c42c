// A report outside the required checks: `npm run mutants -- --mutate 'packages/bytes/src/**/*.ts'`.

export default {
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  vitest: { configFile: 'stryker.vitest.config.mjs' },
  mutate: ['packages/*/src/**/*.ts'],
  coverageAnalysis: 'perTest',
  // A mutant that runs while modules load would need all tests.
  ignoreStatic: true,
  ignorePatterns: ['docs', 'examples'],
  // Stryker would rewrite tsconfig.json with the compiler's API, which TypeScript 7 does not have.
  tsconfigFile: 'none.json',
  reporters: ['progress-append-only', 'clear-text'],
  clearTextReporter: { logTests: false },
  allowConsoleColors: false,
  concurrency: 2,
  thresholds: { high: 95, low: 85, break: 80 },
}
