import { inOrder, type RoomOrder } from './room-order.ts'

/**
 * Features know the rooms below them and no other feature, except a fresh proof: all of them may import `step-up`.
 * `features` lists them.
 */
function featuresOn(below: readonly string[], ...names: readonly string[]): RoomOrder {
  const places = ['step-up', ...names].map((name) => `features/${name}`)
  const lines = places.map((place, index) => [place, index === 0 ? below : [...below, 'features/step-up']])
  return { ...Object.fromEntries(lines), features: [...below, ...places] }
}

/** The rooms below the features of the server. */
const belowFeatures: RoomOrder = inOrder(
  'page-kit/texts',
  'identity-cache',
  'options',
  'options/observe',
  'options/oauth',
  'options/mcp',
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
  'service/tools',
  'service',
  'page-kit/html',
  'page-kit',
  'page-kit/forms',
)

/** The rooms of `@latchkey/server`. `rooms` has the rooms of other packages. */
export const serverRooms: RoomOrder = {
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
    'api-keys',
    'administration',
    'impersonation',
    'oauth',
    'development',
  ),
  pipeline: [
    'options',
    'options/sign-in',
    'options/oauth',
    'options/mcp',
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
}
