/**
 * Test files of packages and examples that the first tier leaves to the second, although they need no server: long tables,
 * bounds of memory, races, and whole programs. What each holds for every case, a file of the first tier holds for some.
 */
export const onlyInSecondTier: readonly string[] = [
  // Memory that stays bounded, however many are asked for.
  'packages/accounts/test/limits/random-keys.test.ts',
  'packages/graphql/test/documents/{document-cache,kept-documents}.test.ts',
  'packages/graphql/test/execution/kept-selections.test.ts',
  'packages/server/test/guessing/random-ids.test.ts',
  'packages/store/test/memory-stores.test.ts',
  // Load, and many at once.
  'packages/jwt/test/signed-at-once.test.ts',
  'packages/oauth/test/tokens/races.test.ts',
  'packages/rbac/test/large-policies.test.ts',
  'packages/server/test/accounts/login-storm.test.ts',
  'packages/server/test/overload/{fair-queue,loop-delay,slow-clients}.test.ts',
  'packages/server/test/providers/provider-races.test.ts',
  'packages/server/test/world/streams.test.ts',
  // Drawn cases, many times.
  'packages/audit/test/any-tampering.test.ts',
  'packages/graphql/test/access/plan-against-execution.test.ts',
  'packages/graphql/test/documents/{hidden-schema,overlapping-fields,scalar-errors}.test.ts',
  'packages/graphql/test/execution/lean-execution.test.ts',
  'packages/server/test/fuzz/parsers.test.ts',
  // Kits that find every mistake of a store; the first tier runs the kits on the stores there are.
  'packages/accounts/test/stores/broken-account-stores.test.ts',
  'packages/store/test/broken-{document,record}-stores.test.ts',
  'packages/sql/test/store-kits-in-memory.test.ts',
  // Each row of a rule that packages below hold, by operations and pages.
  'packages/accounts/test/factors/factor-crashes.test.ts',
  'packages/graphql/test/handler/hostile-corpus.test.ts',
  'packages/password/test/{calibrate,engines,published-vectors}.test.ts',
  'packages/server/test/account-life/{administration,fresh-proof,impersonated-fields,impersonation-ends,impersonation-streams}.test.ts',
  'packages/server/test/accounts/{account-inputs,attempts,guessing}.test.ts',
  'packages/server/test/factors/{factor-changes,hostile-passkeys,required-factor,second-factor-sign-in}.test.ts',
  'packages/server/test/guessing/disguised-guesses.test.ts',
  'packages/server/test/oauth/{ended-grants,told-clients}.test.ts',
  'packages/server/test/pages/{factor-pages,home,sign-in-page}.test.ts',
  'packages/server/test/pages/life/{known-and-unknown,own-account-pages}.test.ts',
  'packages/server/test/pages/providers/callbacks.test.ts',
  'packages/server/test/service/outages.test.ts',
  // Whole programs.
  'examples/frameworks/test/parsed-bodies.test.ts',
  'examples/frameworks/test/service/every-link.test.ts',
  'examples/lmdb-store/test/lmdb-kits.test.ts',
  'examples/offline-verifier/test/weather-service.test.ts',
  'examples/own-users-table/test/moved-users.test.ts',
  'examples/quickstart/test/access/{step-up,third-parties}.test.ts',
  'examples/quickstart/test/{code-generator,loaders}.test.ts',
]
