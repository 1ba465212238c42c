import type { Part } from './part.ts'

/** Everything that can be measured, in the order of `npm run bench`. A new part is a line here and a file beside it. */
export const parts: Readonly<Record<string, Part>> = {
  'login-storm': {
    about: 'what other requests notice while 8 clients log in without pause',
    packages: ['hash-wasm', '@node-rs/argon2', 'argon2id'],
    options: { ways: { about: 'only ways of hashing whose name contains this', default: '' } },
    measure: async (run) => (await import('./password/login-storm.ts')).measureLoginStorm(run),
  },
  'hash-rate': {
    about: 'Argon2id hashes per second, 8 asked for at once',
    packages: ['hash-wasm', '@node-rs/argon2', 'argon2id'],
    options: { 'rate-ways': { about: 'only ways of hashing whose name contains this', default: '' } },
    measure: async (run) => (await import('./password/hash-rate.ts')).measureHashRate(run),
  },
  'jwt-verify': {
    about: 'one HS256 token, new and seen before, beside jose and fast-jwt',
    packages: ['jose', 'fast-jwt'],
    measure: async (run) => (await import('./jwt/jwt-verify.ts')).measureJwtVerify(run),
  },
  'totp-verify': {
    about: 'one code of an authenticator app, right and wrong, beside otpauth and otplib',
    packages: ['otpauth', 'otplib'],
    measure: async (run) => (await import('./totp/totp-verify.ts')).measureTotpVerify(run),
  },
  'rbac-check': {
    about: 'may they do this? 10 roles, 200 permissions, beside CASL and casbin',
    packages: ['@casl/ability', 'casbin'],
    measure: async (run) => (await import('./rbac/rbac-check.ts')).measureRbacCheck(run),
  },
  'cold-start': {
    about: 'a process that imports the published packages and ends, beside better-auth',
    packages: ['graphql-17', 'jose', 'better-auth'],
    measure: async (run) => (await import('./cold-start.ts')).measureColdStart(run),
  },
  'graphql-prepare': {
    about: 'deciding a document that was seen before, beside executing it',
    packages: ['graphql-17'],
    measure: async (run) => (await import('./graphql/graphql-prepare.ts')).measureGraphqlPrepare(run),
  },
  'graphql-http': {
    about: 'a GraphQL request with a bearer token, beside Mercurius, Apollo Server, Yoga and bare graphql-http',
    packages: [
      ...['graphql', 'graphql-17', 'graphql-http', 'jose', 'fast-jwt', 'autocannon'],
      ...['mercurius', 'mercurius-auth', '@apollo/server', 'graphql-yoga'],
    ],
    options: { servers: { about: 'only servers whose name contains this', default: '' } },
    measure: async (run) => (await import('./graphql/graphql-http.ts')).measureGraphqlHttp(run),
  },
  'sessions-read': {
    about: 'the session of a request, in process, beside express-session and better-auth',
    packages: ['express-session', 'better-auth'],
    measure: async (run) => (await import('./sessions/sessions-read.ts')).measureSessionsRead(run),
  },
  'sessions-http': {
    about: 'the same over HTTP, beside servers without sessions',
    packages: ['express', 'express-session', 'better-auth', 'autocannon'],
    measure: async (run) => (await import('./sessions/sessions-http.ts')).measureSessionsHttp(run),
  },
  'sessions-owners': {
    about: 'listing and ending all sessions of one account, by store',
    packages: ['ioredis', 'pg'],
    options: {
      sessions: { about: 'how many sessions the account has', default: '10,1000,100000' },
      store: { about: 'of memory, sqlite, postgresql, redis: only this one', default: '' },
    },
    measure: async (run) => (await import('./sessions/sessions-owners.ts')).measureSessionsOwners(run),
  },
  'sessions-unknown': {
    about: 'what unknown session and refresh credentials leave in a store',
    packages: ['ioredis', 'pg'],
    options: { unknown: { about: 'how many are shown', default: '100000' } },
    measure: async (run) => (await import('./sessions/sessions-unknown.ts')).measureSessionsUnknown(run),
  },
}
