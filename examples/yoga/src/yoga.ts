import { isAccessError } from '@latchkey/graphql'
import { GraphQLError } from 'graphql'
import { createYoga, maskError } from 'graphql-yoga'
import { access, identify } from './access.ts'
import { useAccess } from './use-access.ts'

export const yoga = createYoga({
  schema: access.sealed,
  plugins: [useAccess({ access, identify })],
  maskedErrors: {
    // A refusal is meant for the client; what else a resolver throws is not.
    maskError: (error, message, isDev) =>
      error instanceof GraphQLError && isAccessError(error.originalError) ? error : maskError(error, message, isDev),
  },
})
