/** The paths of the other routes, which the endpoint cannot have. */
const others = [
  ...['/sign-in', '/sign-up', '/sign-out', '/second-factor', '/confirm-password', '/passkey', '/account', '/devices'],
  ...['/sign-in-code', '/confirm-provider', '/impersonation'],
  ...['/verify', '/reset', '/confirm-email-change', '/undo-email-change', '/step-up', '/consent', '/device'],
  ...['/jwks', '/.well-known', '/healthz', '/readyz', '/graphiql', '/mcp'],
  ...['/authorize', '/par', '/token', '/revoke', '/userinfo', '/introspect', '/device_authorization', '/end-session'],
]

/** Segments of letters, digits and `-._~`, which need no encoding, and are no `.` or `..`. */
const segments = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+$/

/** @throws TypeError when it is not a path that the endpoint can have. */
export function readPath(path = '/graphql'): string {
  if (typeof path !== 'string' || !segments.test(path)) {
    throw new TypeError('"graphql.path" must be a path such as "/api/graphql", without a slash at its end')
  }
  const taken = others.find((other) => path === other || path.startsWith(`${other}/`))
  if (taken !== undefined)
    throw new TypeError(`"graphql.path" must not be ${taken}, where the server answers something else`)
  return path
}
