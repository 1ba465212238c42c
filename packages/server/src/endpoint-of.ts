import type { EndpointOptions } from '@latchkey/graphql'

const names = [
  'bodyLimitBytes',
  'urlLimitBytes',
  'executionTimeoutMs',
  'batchLimit',
  'rateLimit',
  'trustedDocuments',
  'executor',
  'statusProfile',
] as const satisfies (keyof EndpointOptions)[]

/** Gives those options of a server that its GraphQL endpoint takes as they are. */
export function endpointOf(options: EndpointOptions): EndpointOptions {
  return Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])))
}
