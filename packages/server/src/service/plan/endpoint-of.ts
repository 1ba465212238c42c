import { type EndpointOptions, endpointOptionNames } from '@latchkey/graphql/internal'

/** Returns the options that the GraphQL endpoint takes unchanged. */
export function endpointOf(options: EndpointOptions): EndpointOptions {
  const given = Object.entries(options).filter(
    ([name, value]) => value !== undefined && Object.hasOwn(endpointOptionNames, name),
  )
  return Object.fromEntries(given)
}
