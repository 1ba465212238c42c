import { type ApolloServerPlugin, HeaderMap } from '@apollo/server'
import type { GraphqlHandler } from '@latchkey/graphql'

/**
 * Creates a plugin that answers every operation of an Apollo Server by the handler, in place of Apollo's own execution:
 * refusals have their status, and resolvers get the identity in their context.
 */
export function protect(handler: GraphqlHandler): ApolloServerPlugin {
  return {
    async requestDidStart() {
      return {
        async responseForOperation({ request: { http, operationName, variables }, source }) {
          const headers = new Headers([...(http?.headers ?? [])])
          headers.delete('content-length')
          headers.set('content-type', 'application/json')
          const body = JSON.stringify({ query: source, operationName, variables })
          const request = new Request('http://localhost/graphql', { method: 'POST', headers, body })
          const response = await handler.fetch(request)
          const answered = new HeaderMap(response.headers)
          answered.delete('content-length') // Apollo Server writes the body anew
          return {
            http: { status: response.status, headers: answered },
            body: { kind: 'single', singleResult: JSON.parse(await response.text()) },
          }
        },
      }
    },
  }
}
