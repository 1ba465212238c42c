import type { BaseUrl } from '../base-url.ts'

/** A resource that access tokens of clients are issued for (RFC 8707). All other resources refuse its tokens. */
export interface ServiceResource {
  readonly path: string
  /** Its address, which is the audience of its tokens. */
  readonly address: string
  /** The path of its metadata (RFC 9728 §3.1). */
  readonly metadataPath: string
}

/** The resources of a service. */
export interface ServiceResources {
  /** The GraphQL endpoint: the resource of a token whose request names none. */
  readonly endpoint: ServiceResource
  /** `null`: the option `mcp` is omitted. */
  readonly mcp: ServiceResource | null
  readonly all: readonly [ServiceResource, ...ServiceResource[]]
}

export const mcpPath = '/mcp'

export function createServiceResources(
  { mcp: hasMcp }: { readonly mcp?: unknown },
  { origin }: Pick<BaseUrl, 'origin'>,
  path: string,
): ServiceResources {
  const endpoint = resourceAt(origin, path)
  const mcp = hasMcp === undefined ? null : resourceAt(origin, mcpPath)
  return { endpoint, mcp, all: mcp ? [endpoint, mcp] : [endpoint] }
}

function resourceAt(origin: string, path: string): ServiceResource {
  return { path, address: `${origin}${path}`, metadataPath: `/.well-known/oauth-protected-resource${path}` }
}
