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

/**
 * The plan of the rooms inside the packages: a new folder begins with a line here. Files directly in `src` that have no
 * line are entries (`exports`, `bin`, or started as programs), which may import everything and are imported by nothing, or
 * stand on no room (`errors.ts`), and every room may import them.
 */
export const rooms: Readonly<Record<string, RoomOrder>> = {
  'packages/store': {
    values: [],
    'one-time': ['values'],
    memory: [],
    testing: [],
    'testing/durable': ['values', 'testing'],
    'testing/broken': ['testing'],
  },

  'packages/password': {
    engines: [],
    formats: ['engines'],
    workers: ['engines'],
    hasher: ['engines', 'formats', 'workers'],
    policy: ['formats', 'hasher'],
  },
  'packages/jwt': { ...inOrder('encoding', 'keys', 'rings', 'tokens'), testing: ['keys', 'tokens'] },
  'packages/rbac': { testing: [] },
  'packages/passkeys': { testing: [] },
  'packages/sessions': inOrder('refresh', 'sessions'),
  'packages/http': {
    addresses: [],
    hosts: ['addresses'],
    credentials: [],
    turns: ['addresses'],
    fetch: [],
    node: [],
  },

  'packages/accounts': {
    store: [],
    devices: ['store'],
    limits: [],
    mail: [],
    factors: [],
    trail: [],
    context: ['store', 'devices', 'limits', 'mail', 'factors', 'trail'],
    'sign-in': ['store', 'devices', 'limits', 'mail', 'factors', 'context'],
    'use-cases': ['store', 'devices', 'mail', 'trail', 'context', 'sign-in'],
    'use-cases/administration': ['store', 'devices', 'trail', 'context', 'use-cases'],
    'use-cases/email-code': ['store', 'devices', 'context', 'sign-in', 'use-cases'],
    'use-cases/factors': [
      'store',
      'devices',
      'mail',
      'factors',
      'trail',
      'context',
      'sign-in',
      'use-cases',
      'use-cases/administration',
    ],
    'use-cases/impersonation': ['store', 'devices', 'trail', 'context', 'sign-in', 'use-cases'],
    'use-cases/own-account': [
      'store',
      'devices',
      'mail',
      'context',
      'sign-in',
      'use-cases',
      'use-cases/administration',
      'use-cases/factors',
    ],
    'account-factors.ts': ['store', 'factors', 'context', 'use-cases', 'use-cases/administration', 'use-cases/factors'],
    'account-administration.ts': ['store', 'context', 'use-cases/administration'],
    'account-impersonation.ts': ['context', 'use-cases/impersonation'],
    'own-account.ts': ['store', 'context', 'use-cases/own-account'],
    'create-accounts.ts': [
      'store',
      'devices',
      'mail',
      'context',
      'sign-in',
      'use-cases',
      'use-cases/email-code',
      'use-cases/own-account',
      'account-factors.ts',
      'account-administration.ts',
      'account-impersonation.ts',
      'own-account.ts',
    ],
    testing: ['store'],
  },
  'packages/oauth': {
    ...inOrder(
      'proofs',
      'resource',
      'server/parameters',
      'server/replies',
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
    'client/connection': [],
    'client/providers': ['client/connection'],
    'client/metadata': ['client/connection', 'client/providers'],
    'client/transactions': ['client/connection'],
    'client/context': ['proofs', 'client/connection', 'client/providers', 'client/metadata', 'client/transactions'],
    'client/tokens': ['client/connection', 'client/providers', 'client/metadata', 'client/context'],
    'client/callback': [
      'client/connection',
      'client/providers',
      'client/metadata',
      'client/transactions',
      'client/context',
      'client/tokens',
    ],
    'client/calls': ['client/connection', 'client/context', 'client/tokens', 'client/callback'],
    client: ['client/context', 'client/tokens', 'client/callback', 'client/calls'],
  },
  'packages/graphql': {
    ...inOrder('rules', 'documents', 'plan', 'responses', 'access', 'execution', 'handler', 'subscriptions'),
    'subscriptions/sse': ['responses', 'handler', 'subscriptions'],
    'subscriptions/sockets': ['responses', 'handler', 'subscriptions'],
  },

  'packages/sql': { stores: [], sqlite: ['stores'], postgres: ['stores'] },
  'packages/server': {
    texts: [],
    settings: ['texts'],
    clients: ['settings'],
    'accounts-schema': ['texts', 'settings', 'clients'],
    'account-life': ['clients', 'accounts-schema'],
    'email-code': ['accounts-schema'],
    'schema-text': [],
    'identity-cache': [],
    options: ['settings', 'clients', 'accounts-schema', 'account-life', 'identity-cache'],
    service: [
      'settings',
      'clients',
      'accounts-schema',
      'account-life',
      'email-code',
      'schema-text',
      'identity-cache',
      'options',
    ],
    pages: ['texts', 'settings', 'clients', 'accounts-schema', 'account-life', 'options'],
    'pages/development': ['options', 'service', 'pages'],
    'pages/sign-up': ['accounts-schema', 'pages'],
    'pages/sign-in': ['settings', 'clients', 'accounts-schema', 'pages'],
    'pages/links': ['accounts-schema', 'pages', 'pages/sign-in'],
    'pages/life': ['accounts-schema', 'pages', 'pages/sign-in'],
    'pages/account': ['clients', 'accounts-schema', 'pages', 'pages/sign-in'],
    'pages/devices': ['clients', 'accounts-schema', 'pages', 'pages/sign-in', 'pages/account'],
    'pages/authorization': ['clients', 'pages', 'pages/sign-in'],
    routes: [
      'settings',
      'clients',
      'accounts-schema',
      'options',
      'service',
      'pages',
      'pages/development',
      'pages/links',
      'pages/sign-up',
      'pages/sign-in',
      'pages/life',
      'pages/account',
      'pages/devices',
      'pages/authorization',
    ],
    'create-server.ts': ['settings', 'options', 'service', 'pages/authorization', 'routes'],
    node: ['settings', 'options', 'service', 'create-server.ts'],
    smtp: [],
    cli: ['settings', 'options', 'service', 'create-server.ts', 'node'],
    'cli/access': ['cli'],
    'cli/accounts': ['accounts-schema', 'cli'],
    'cli/audit': ['service', 'cli'],
    'cli/clients': ['settings', 'service', 'cli'],
    'commands.ts': ['cli', 'cli/access', 'cli/accounts', 'cli/audit', 'cli/clients'],
    testing: ['settings', 'options', 'service', 'create-server.ts'],
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
  'packages/test-services': { mail: [], preloads: [] },

  'packages/conventions': inOrder('house', 'documents', 'checks', 'structure'),

  'examples/quickstart': {
    publication: [],
    'policy.ts': ['publication'],
    'resolvers.ts': ['publication', 'policy.ts'],
    data: ['publication'],
    'start-service.ts': ['publication', 'policy.ts', 'resolvers.ts', 'data'],
    'serve.ts': ['start-service.ts'],
  },
}

/** What one looks for in a folder is found at a glance: a folder with more files than these gets rooms. */
export const mostFiles = 20

/** Folders of `src` or `test` that may hold more than `mostFiles`, and why. */
export const fullFolders: readonly { readonly folder: string; readonly why: string }[] = []
