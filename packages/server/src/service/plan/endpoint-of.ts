import { type EndpointOptions, endpointOptionNames } from '@latchkey/graphql/internal'

/** Returns those options of a server that its GraphQL endpoint takes as they are. */
export function endpointOf(options: EndpointOptions): EndpointOptions {
  const given = Object.entries(options).filter(
    ([name, value]) => value !== undefined && Object.hasOwn(endpointOptionNames, name),
  )
  return Object.fromEntries(given)
}
