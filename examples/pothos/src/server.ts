import { createServer } from 'node:http'
import { compileAccess, createGraphqlHandler } from '@latchkey/graphql'
import { createIdentityReader } from '@latchkey/http'
import { toNodeListener } from '@latchkey/http/node'
import { policy, schema } from './schema.ts'

// Yours: verify the token as you do.
const accounts = new Map([
  ['token-of-reader', { subject: 'acc_3', roles: ['READER'] }],
  ['token-of-author', { subject: 'acc_1', roles: ['AUTHOR'] }],
])

const handler = createGraphqlHandler({
  // Throws a TypeError with the list of fields that have no rule.
  access: compileAccess({ schema, policy }),
  identify: createIdentityReader({
    bearer: { verify: async (token) => policy.identify(accounts.get(token)) },
  }),
})

export const server = createServer(toNodeListener(handler))
