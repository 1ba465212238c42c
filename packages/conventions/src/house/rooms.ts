/**
 * The places of one package from the ground up, each with those before it that it may import. A place is a folder in `src`
 * (`rules`, `server/grants`), or a file directly in `src` that stands on folders and is no entry (`create-server.ts`).
 */
export type RoomOrder = Readonly<Record<string, readonly string[]>>

/** Each room may import all rooms before it. */
function inOrder<const Rooms extends readonly string[]>(...rooms: Rooms): Record<Rooms[number], readonly string[]> {
  const lines = rooms.map((room, index) => [room, rooms.slice(0, index)])
  return Object.fromEntries(lines)
}

/** Features know what is below them and none of each other, but a fresh proof: `step-up` stands below all. `features` lists them. */
function featuresOn(below: readonly string[], ...names: readonly string[]): RoomOrder {
  const places = ['step-up', ...names].map((name) => `features/${name}`)
  const lines = places.map((place, index) => [place, index === 0 ? below : [...below, 'features/step-up']])
  return { ...Object.fromEntries(lines), features: [...below, ...places] }
}

/** What the features of the server stand on. */
const belowFeatures: RoomOrder = inOrder(
  'page-kit/texts',
  'identity-cache',
  'options',
  'options/observe',
  'options/oauth',
  'options/audit',
  'options/graphql',
  'options/http',
  'options/mails',
  'options/pages',
  'options/sessions',
  'options/accounts',
  'options/sign-in',
  'service/account-session',
  'service/clients',
  'schema',
  'options/server',
  'service/upkeep',
  'service/plan',
  'service',
  'page-kit/html',
  'page-kit',
  'page-kit/forms',
)

/**
 * The plan of the rooms inside the packages: a new folder begins with a line here. Files directly in `src` that have no
 * line are entries (`exports`, `bin`, or started as programs), which may import everything and are imported by nothing, or
 * stand on no room (`errors.ts`), and every room may import them.
 */
export const rooms: Readonly<Record<string, RoomOrder>> = {
  'packages/core': { options: [], time: [], events: ['options'] },
  'packages/store': {
    values: [],
    'one-time': ['values'],
    documents: ['values'],
    memory: [],
    node: [],
    testing: [],
    'testing/durable': ['values', 'testing'],
    'testing/records': ['testing'],
    'testing/broken': ['testing'],
  },

  'packages/password': {
    engines: [],
    formats: ['engines'],
    workers: ['engines'],
    hasher: ['engines', 'formats', 'workers'],
    policy: ['formats', 'hasher'],
  },
  'packages/jwt': inOrder('encoding', 'keys', 'rings', 'tokens'),
  'packages/passkeys': { testing: [] },
  'packages/sessions': inOrder('refresh', 'sessions'),
  'packages/http': {
    headers: [],
    addresses: ['headers'],
    hosts: ['addresses'],
    credentials: ['headers'],
    'fair-queue': ['addresses'],
    fetch: ['headers'],
    node: ['headers'],
    'node/connections': ['addresses', 'headers'],
  },

  'packages/accounts': {
    store: [],
    contract: ['store'],
    devices: ['store'],
    limits: [],
    mail: [],
    providers: ['contract'],
    factors: ['providers'],
    trail: [],
    context: ['store', 'contract', 'devices', 'limits', 'mail', 'factors', 'trail', 'providers'],
    'sign-in': ['store', 'contract', 'devices', 'limits', 'mail', 'factors', 'providers', 'context'],
    'use-cases': ['store', 'contract', 'devices', 'mail', 'trail', 'context', 'sign-in'],
    'use-cases/administration': ['store', 'contract', 'devices', 'trail', 'context', 'use-cases'],
    'use-cases/email-code': ['store', 'contract', 'devices', 'context', 'sign-in', 'use-cases'],
    'use-cases/factors': [
      'store',
      'contract',
      'devices',
      'mail',
      'factors',
      'providers',
      'trail',
      'context',
      'sign-in',
      'use-cases',
      'use-cases/administration',
    ],
    'use-cases/impersonation': ['store', 'contract', 'devices', 'trail', 'context', 'sign-in', 'use-cases'],
    'use-cases/providers': [
      'store',
      'contract',
      'devices',
      'providers',
      'context',
      'sign-in',
      'use-cases',
      'use-cases/factors',
    ],
    'use-cases/own-account': [
      'store',
      'contract',
      'devices',
      'mail',
      'context',
      'sign-in',
      'use-cases',
      'use-cases/administration',
      'use-cases/factors',
      'use-cases/providers',
    ],
    'create-accounts.ts': [
      'store',
      'contract',
      'devices',
      'mail',
      'context',
      'sign-in',
      'use-cases',
      'use-cases/email-code',
      'use-cases/own-account',
      'use-cases/administration',
      'use-cases/factors',
      'use-cases/impersonation',
      'use-cases/providers',
    ],
    'testing/broken': ['store'],
    testing: ['store'],
  },
  'packages/oauth': {
    ...inOrder(
      'proofs',
      'resource',
      'server/parameters',
      'server/responses',
      'server/clients',
      'server/grants',
      'server/context',
      'server/issuing',
      'server/grant-types',
      'server/tokens',
      'server/checks',
      'server/authorization',
      'server/sessions',
      'server/device',
      'server/metadata',
      'server',
    ),
    'client/contract': [],
    'client/connection': ['client/contract'],
    'client/providers': ['client/contract', 'client/connection'],
    'client/metadata': ['client/contract', 'client/connection', 'client/providers'],
    'client/transactions': ['client/contract', 'client/connection'],
    'client/context': [
      'client/contract',
      'proofs',
      'client/connection',
      'client/providers',
      'client/metadata',
      'client/transactions',
    ],
    'client/tokens': ['client/contract', 'client/connection', 'client/providers', 'client/metadata', 'client/context'],
    'client/callback': [
      'client/contract',
      'client/connection',
      'client/providers',
      'client/metadata',
      'client/transactions',
      'client/context',
      'client/tokens',
    ],
    'client/calls': ['client/contract', 'client/connection', 'client/context', 'client/tokens', 'client/callback'],
    client: ['client/contract', 'client/context', 'client/tokens', 'client/callback', 'client/calls'],
  },
  'packages/graphql': {
    ...inOrder(
      'rules',
      'documents/rules',
      'documents',
      'plan',
      'responses',
      'access',
      'execution',
      'handler',
      'subscriptions',
    ),
    'subscriptions/sse': ['responses', 'handler', 'subscriptions'],
    'subscriptions/sockets': ['responses', 'handler', 'subscriptions'],
  },

  'packages/sql': {
    statements: [],
    stores: ['statements'],
    sqlite: ['statements', 'stores'],
    postgres: ['statements', 'stores'],
  },
  'packages/client': {
    ...inOrder(
      'platform',
      'state',
      'answers',
      'step-up',
      'requests',
      'presence',
      'core',
      'deliveries',
      'account',
      'oauth',
    ),
    server: ['state', 'answers'],
  },
  'packages/server': {
    ...belowFeatures,
    ...featuresOn(
      Object.keys(belowFeatures),
      'sign-up',
      'sign-in',
      'password',
      'email-code',
      'email-change',
      'second-factors',
      'passkeys',
      'providers',
      'profile',
      'deletion',
      'devices',
      'administration',
      'impersonation',
      'oauth',
      'development',
    ),
    pipeline: [
      'options',
      'options/sign-in',
      'options/oauth',
      'options/observe',
      'service',
      'service/account-session',
      'service/clients',
      'page-kit',
      'page-kit/html',
      'page-kit/forms',
      'features',
    ],
    'create-server.ts': [
      'options',
      'options/sessions',
      'options/server',
      'service',
      'service/account-session',
      'service/plan',
      'features',
      'features/oauth',
      'pipeline',
    ],
    node: ['options', 'options/pages', 'options/server', 'service', 'create-server.ts'],
    smtp: [],
    cli: ['options', 'options/sessions', 'service', 'service/upkeep', 'create-server.ts', 'node'],
    'cli/access': ['cli'],
    'cli/accounts': ['schema', 'cli'],
    'cli/audit': ['service', 'cli'],
    'cli/clients': ['options/observe', 'service', 'service/upkeep', 'cli'],
    'commands.ts': ['cli', 'cli/access', 'cli/accounts', 'cli/audit', 'cli/clients'],
    testing: ['options', 'options/observe', 'options/server', 'service', 'service/plan', 'create-server.ts'],
  },

  'packages/benchmarks': {
    load: [],
    graphql: ['load'],
    sessions: ['load'],
    service: ['load', 'graphql', 'sessions'],
    latency: ['load', 'graphql', 'service'],
    password: [],
    jwt: [],
    rbac: [],
    totp: [],
    audit: [],
    oauth: ['load'],
    'parts.ts': ['graphql', 'sessions', 'service', 'latency', 'password', 'jwt', 'rbac', 'totp', 'audit', 'oauth'],
    'options.ts': ['parts.ts'],
    documents: [],
    'write-report.ts': ['documents'],
  },
  'packages/test-services': { mail: [], preloads: [], proxies: [], 'kit-tests.ts': [], mistakes: ['kit-tests.ts'] },

  'packages/conventions': inOrder('house', 'documents', 'checks', 'structure'),

  'examples/frameworks': { service: [] },
  'examples/quickstart': {
    publication: [],
    'policy.ts': ['publication'],
    'resolvers.ts': ['publication', 'policy.ts'],
    data: ['publication'],
    pages: ['publication'],
    'start-service.ts': ['publication', 'policy.ts', 'resolvers.ts', 'data', 'pages'],
    'serve.ts': ['start-service.ts'],
  },
}

/** What one looks for in a folder is found at a glance: a folder with more files than these gets rooms. */
export const mostFiles = 20

/** Folders of `src` or `test` that may hold more than `mostFiles`, and why. */
export const fullFolders: readonly { readonly folder: string; readonly why: string }[] = []
