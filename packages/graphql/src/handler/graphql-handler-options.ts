import type { AddressReader, ForgeryCheck, HttpRequest, IdentityReader, SessionCookie } from '@latchkey/http'
import { checkOptionNames } from '@latchkey/options'
import type { AnyPolicy, Identity } from '@latchkey/rbac'
import type { AuthContext } from '../access/auth-context.ts'
import type { Access } from '../access/compile-access.ts'
import type { AccessError } from '../errors.ts'
import type { AccessEvent } from './access-event.ts'
import { type EndpointOptions, endpointOptionNames } from './endpoint-options.ts'
import type { Established } from './established.ts'

export interface GraphqlHandlerOptions<P extends AnyPolicy> extends EndpointOptions {
  /** What `compileAccess` gave: the schema and its rules. */
  readonly access: Access<P>
  /** Tells who sent a request. */
  readonly identify: IdentityReader<Identity>
  /**
   * Tells whether a page of somebody else sent a request. Without it whatever needs the proof is refused: mutations over
   * a session cookie, and credential fields.
   */
  readonly forgery?: ForgeryCheck
  /** The cookies with which a forged request is refused altogether. Default: any cookie might be one. */
  readonly cookies?: readonly Pick<SessionCookie, 'isSent'>[]
  /** Gives what resolvers find in their context beside `identity`, `authorize`, `can` and the others. */
  readonly context?: (base: AuthContext<P>, request: HttpRequest, established: Established<Identity>) => object
  /** Gives the refusal that an error of the application stands for. What is `null` and thrown is masked. */
  readonly translateError?: (error: unknown) => AccessError | null
  /** Is given refusals and failures. Default: failures go to `console.error`. */
  readonly onEvent?: (event: AccessEvent) => void
  /** Tells the address of a client to `rateLimit`. Default: the other end of the connection; no proxy is believed. */
  readonly addresses?: AddressReader
  /** Epoch milliseconds, for events. Default `Date.now`. */
  readonly now?: () => number
}

const optionNames = {
  ...endpointOptionNames,
  access: true,
  identify: true,
  forgery: true,
  cookies: true,
  context: true,
  translateError: true,
  onEvent: true,
  addresses: true,
  now: true,
} as const

/** @throws TypeError naming the option that cannot be used. */
export function checkHandlerOptions(options: GraphqlHandlerOptions<AnyPolicy>): void {
  checkOptionNames('createGraphqlHandler', options, optionNames)
  if (typeof options.access?.prepare !== 'function') throw new TypeError('"access" must come from compileAccess')
  if (typeof options.identify?.read !== 'function') throw new TypeError('"identify" must be an IdentityReader')
}
