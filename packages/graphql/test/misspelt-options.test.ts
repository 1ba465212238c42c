import { compileAccess, createGraphqlHandler, createSubscriptions } from '@latchkey/graphql'
import { createYogaPlugin } from '@latchkey/graphql/yoga'
import { createIdentityReader } from '@latchkey/http'
import { buildSchema } from 'graphql'
import { expect, test } from 'vitest'
import { policy } from './support/service.ts'

const schema = buildSchema('type Query { hello: String }')
const rules = { 'Query.hello': 'public' } as const
const access = compileAccess({ schema, policy, rules })
const identify = createIdentityReader({ bearer: { verify: async () => policy.identify(null) } })
const documents = new Map<string, string>()

test.each([
  [
    'compileAccess has no option "rule". Did you mean "rules"?',
    () => compileAccess({ schema, policy, rule: {} } as never),
  ],
  ['compileAccess takes an object with "schema"', () => compileAccess(undefined as never)],
  [
    '"limits" has no option "dept". Did you mean "depth"?',
    () => compileAccess({ schema, policy, rules, limits: { dept: 5 } as never }),
  ],
  [
    '"limits" has no option "constructor", only "tokens"',
    () => compileAccess({ schema, policy, rules, limits: { constructor: 5 } as never }),
  ],
  ['"limits" takes an object with "tokens"', () => compileAccess({ schema, policy, rules, limits: 5 as never })],
  [
    'createGraphqlHandler has no option "ratelimit". Did you mean "rateLimit"?',
    () => createGraphqlHandler({ access, identify, ratelimit: () => ({ ok: true }) } as never),
  ],
  [
    'createGraphqlHandler has no option "statusprofil". Did you mean "statusProfile"?',
    () => createGraphqlHandler({ access, identify, statusprofil: 5 } as never),
  ],
  [
    'createGraphqlHandler has no option "executor"',
    () => createGraphqlHandler({ access, identify, executor: 5 } as never),
  ],
  [
    '"requestLimits" has no option "bodyLimitBytes"',
    () => createGraphqlHandler({ access, identify, requestLimits: { bodyLimitBytes: 5 } as never }),
  ],
  [
    '"observe" has no option "onEvents". Did you mean "onEvent"?',
    () => createGraphqlHandler({ access, identify, observe: { onEvents: () => undefined } as never }),
  ],
  [
    '"observe" has no option "onEvents". Did you mean "onEvent"?',
    () => createSubscriptions({ access, identify, observe: { onEvents: () => undefined } as never }),
  ],
  ['createGraphqlHandler takes an object with', () => createGraphqlHandler(null as never)],
  [
    '"trustedDocuments" has no option "maxAgeSeconds"',
    () =>
      createGraphqlHandler({
        access,
        identify,
        trustedDocuments: { documents, mode: 'also', maxAgeSeconds: 5 } as never,
      }),
  ],
  [
    'createSubscriptions has no option "reIdentify". Did you mean "reidentify"?',
    () => createSubscriptions({ access, identify, reIdentify: identify } as never),
  ],
  [
    'createYogaPlugin has no option "forgry". Did you mean "forgery"?',
    () => createYogaPlugin({ access, identify, forgry: 5 } as never),
  ],
  ['"access" must come from compileAccess', () => createYogaPlugin({ access: schema, identify } as never)],
  ['"identify" must be an IdentityReader', () => createYogaPlugin({ access, identify: () => null } as never)],
  ['"context" must be a function or omitted', () => createYogaPlugin({ access, identify, context: {} } as never)],
])('a misspelt option is a TypeError: %s', (message, make) => {
  expect(make).toThrow(TypeError)
  expect(make).toThrow(message)
})
