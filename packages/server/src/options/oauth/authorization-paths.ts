import type { ServiceResources } from './service-resources.ts'

/** The paths of the endpoints for clients. */
export type AuthorizationPaths = ReadonlySet<string>

/** The paths that pages of clients may call, without cookies. */
export const clientPaths: ReadonlySet<string> = new Set(['/token', '/revoke', '/userinfo'])

const paths: readonly string[] = [
  '/authorize',
  '/par',
  ...clientPaths,
  '/introspect',
  '/device_authorization',
  '/end-session',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
]

/** Returns the paths at which the authorization server answers; `/jwks` is the service's own. */
export function authorizationPathsOf(
  { oauth }: { readonly oauth?: unknown },
  { all }: Pick<ServiceResources, 'all'>,
): AuthorizationPaths {
  return new Set(oauth === undefined ? [] : [...paths, ...all.map(({ metadataPath }) => metadataPath)])
}
