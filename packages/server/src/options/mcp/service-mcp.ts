import type { Access } from '@latchkey/graphql'
import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { Identity } from '@latchkey/rbac'
import type { Inline } from '../inline.ts'

/** The argument of `mcp`: options of `createMcp` of `@latchkey/mcp`. */
export interface McpParts {
  readonly access: Access
  /**
   * The scopes that clients may request, in the order of `scopes_supported`, without `offline_access`. Without `oauth`,
   * the scopes of `accounts.apiKeys`.
   */
  readonly publishedScopes: readonly string[]
  /** The address of the resource: the origin of `baseUrl`, and `/mcp`. */
  readonly resource: string
  /** The option `pages.name`. Omitted: it is not set. */
  readonly name?: string
}

/** A request at the resource, and its sender. */
export interface McpCall {
  /**
   * The account or machine of an access token for this resource, or of an API key. `null`: the request has neither. Cookies and
   * tokens of the service itself are no credentials here.
   */
  readonly identity: Identity | null
  /** Whether the request has a credential that is not valid. */
  readonly isTokenRefused: boolean
  /**
   * Executes one operation of the service itself for the identity, and returns the response of the GraphQL endpoint: its status,
   * headers and JSON. Its limits of documents, time and size apply, and `trustedDocuments` and `rateLimit` do not. Resolvers get a
   * request with the address and the id of this one, without its credentials. A mutation is written into the audit log before it
   * executes.
   */
  execute(operation: {
    readonly query: string
    /** The name of the tool. */
    readonly operationName: string
    readonly variables: Readonly<Record<string, unknown>>
    readonly kind: 'query' | 'mutation'
    /** SHA-256 of the document, in hexadecimal. */
    readonly documentHash: string
  }): Promise<HttpResponse>
  /** Counts one call of a tool. `null`: it is within the limit. */
  limit(): Promise<{ readonly retryAfterSeconds: number } | null>
  /** Reports a call whose outcome is known, and writes a mutation and a refusal into the audit log. */
  called(call: {
    readonly tool: string
    readonly kind: 'query' | 'mutation'
    /** SHA-256 of the document, in hexadecimal. */
    readonly documentHash: string
    /** `refused`: 401, 403 or 429. `failed`: the result is an error. */
    readonly outcome: 'done' | 'failed' | 'refused'
  }): Promise<void>
}

/** The tools of a service, as `createMcp` of `@latchkey/mcp` returns them. */
export interface ServiceMcp {
  /** The access that each tool needs. */
  readonly verdicts: readonly {
    readonly name: string
    readonly kind: 'query' | 'mutation'
    /** `sha256:` and the digest of the document, in hexadecimal. */
    readonly document: string
    /** A grant needs all scopes of one of the sets; an empty set: none is needed. */
    readonly scopes: readonly (readonly string[])[]
    /** The kinds of resources that the account must own. */
    readonly owner: readonly string[]
    /** The maximum age of the proof of a factor; `null`: none is needed. */
    readonly stepUp: { readonly maxAgeSeconds: number } | null
    /** The access of an account with this role and all published scopes; `own`: to its own resources. */
    readonly roles: Readonly<Record<string, 'yes' | 'own' | 'no'>>
  }[]
  /** Responds to a request whose host, origin and token are judged. */
  respond(request: HttpRequest, call: Inline<McpCall>): Promise<HttpResponse>
}

interface Options {
  readonly mcp?: (parts: McpParts) => ServiceMcp
  readonly oauth?: unknown
  readonly apiKeys?: unknown
}

/** @throws TypeError that names what it lacks. */
export function checkMcp({ mcp, oauth, apiKeys }: Options): void {
  if (mcp === undefined) return
  if (typeof mcp !== 'function') throw new TypeError('"mcp" must be a function that creates it, or omitted')
  if (oauth === undefined && apiKeys === undefined) {
    throw new TypeError('"mcp" needs "oauth" or "accounts.apiKeys": nothing else is a credential there')
  }
}
