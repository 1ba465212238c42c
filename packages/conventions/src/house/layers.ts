/**
 * The permitted dependencies of a package: packages of a lower level by name, and the external packages that it is
 * built on.
 */
export interface Layer {
  readonly level: number
  readonly on: readonly string[]
  readonly external: readonly string[]
}

const foundation = ['core', 'bytes', 'store']

/**
 * The plan of the house. Imports go down only: a level 1 package knows the foundation and no sibling, whose features it
 * receives as a function or an interface. A new package or a new dependency starts with a line here.
 */
export const layers: Readonly<Record<string, Layer>> = {
  core: { level: 0, on: [], external: [] },
  bytes: { level: 0, on: ['core'], external: ['@noble/hashes'] },
  store: { level: 0, on: ['core', 'bytes'], external: [] },

  password: {
    level: 1,
    on: foundation,
    // Two that every application has, and faster ones, used where it has installed them.
    external: ['hash-wasm', '@noble/hashes', '@node-rs/argon2', '@node-rs/bcrypt'],
  },
  sessions: { level: 1, on: foundation, external: [] },
  jwt: { level: 1, on: foundation, external: ['jose'] },
  rbac: { level: 1, on: foundation, external: [] },
  http: { level: 1, on: foundation, external: ['cookie'] },
  // otpauth's own HMAC takes twice as long; a QR code is what an enrolment shows.
  totp: { level: 1, on: foundation, external: ['otpauth', '@noble/hashes', 'lean-qr'] },
  'rate-limit': { level: 1, on: foundation, external: [] },
  audit: { level: 1, on: foundation, external: [] },
  // An interface without an implementation: the application chooses who gets what is recorded.
  telemetry: { level: 1, on: foundation, external: ['@opentelemetry/api'] },
  passkeys: { level: 1, on: foundation, external: ['@simplewebauthn/server'] },

  accounts: { level: 2, on: [...foundation, 'password', 'sessions', 'jwt', 'rate-limit'], external: [] },
  // jose: what others sign with keys of their own. oauth4webapi: a certified client of OAuth and OpenID Connect.
  oauth: { level: 2, on: [...foundation, 'sessions', 'jwt', 'http', 'rate-limit'], external: ['jose', 'oauth4webapi'] },
  graphql: {
    level: 2,
    on: [...foundation, 'rbac', 'http', 'rate-limit'],
    external: ['graphql', 'graphql-http', 'graphql-ws', 'ws'],
  },

  sql: { level: 3, on: [...foundation, 'accounts', 'jwt'], external: [] },
  redis: { level: 3, on: foundation, external: [] },
  // The protocol is not ours to write: two of its revisions, each with headers and errors of its own.
  mcp: {
    level: 3,
    on: [...foundation, 'rbac', 'http', 'graphql'],
    external: ['graphql', '@modelcontextprotocol/server'],
  },
  server: {
    level: 3,
    on: [...foundation, 'password', 'sessions', 'jwt', 'rbac', 'http', 'rate-limit', 'audit', 'accounts', 'graphql'],
    // nodemailer: an optional peer of `./smtp`; MIME and SMTP are not ours to write.
    external: ['graphql', 'ws', 'nodemailer'],
  },
  // For pages, which install it alone: it stands on nothing, and its tests on a service.
  client: { level: 3, on: [], external: ['react'] },
}

/** Portable files that may read the environment through their own declaration of `process`, and why. */
export const environmentReaders: readonly { readonly place: string; readonly why: string }[] = [
  { place: 'packages/http/src/is-production.ts', why: 'weaker transport is refused in production' },
]
