import type { Access } from '@latchkey/graphql'
import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { AnyPolicy, Identity } from '@latchkey/rbac'

export interface McpOptions<P extends AnyPolicy = AnyPolicy> {
  /** From `compileAccess`: the schema and its rules. Part of the argument of the option `mcp` of `createServer`. */
  readonly access: Access<P>
  /** The scopes that clients of others may request, in the order of `scopes_supported`. Part of the same argument. */
  readonly publishedScopes: readonly string[]
  /** The address of the resource, for example `https://example.com/mcp`. Part of the same argument. */
  readonly resource: string
  /** The name of the service. Part of the same argument. @default the host of `resource` */
  readonly name?: string
  /** In the order in which clients get them. */
  readonly tools: readonly {
    /** One named query or mutation with its fragments. Its name is the tool's, its variables are the arguments. */
    readonly document: string
    /** The description of the tool for models. */
    readonly description: string
    /** The name for people. @default none */
    readonly title?: string
    /** `false`: the mutation only adds. Sent as `destructiveHint`. @default true */
    readonly destructive?: boolean
  }[]
  /** The scopes in the challenge of a client without a token. Each must be published. */
  readonly initialScopes: readonly string[]
  /** The JSON Schema of each custom scalar that a tool uses, by its name. @default none */
  readonly scalars?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** The tools of a service over the Model Context Protocol. */
export interface Mcp {
  /** The needs of each tool, in the order of `tools`, as `latchkey mcp` prints them. */
  readonly verdicts: readonly {
    readonly name: string
    readonly kind: 'query' | 'mutation'
    /** `sha256:` and the digest of the document, in hexadecimal. */
    readonly document: string
    /** A grant needs all scopes of one of the sets; an empty set: none is needed. */
    readonly scopes: readonly (readonly string[])[]
    /** The kinds of resources that the account must own. */
    readonly owner: readonly string[]
    /** How old the proof of a factor may be; `null`: none is needed. */
    readonly stepUp: { readonly maxAgeSeconds: number } | null
    /** The verdict for an account with this role and all published scopes; `own`: for its own resources. */
    readonly roles: Readonly<Record<string, 'yes' | 'own' | 'no'>>
  }[]
  /**
   * Responds to a request at the resource. Host, origin and token were judged before.
   *
   * @throws what `call` throws.
   */
  respond(
    request: HttpRequest,
    call: {
      /** From a token for this resource or an API key, never from a cookie or a token of the service itself. */
      readonly identity: Identity | null
      /** A credential was sent, and is not valid. */
      readonly isTokenRefused: boolean
      /** Executes the operation of a tool as the endpoint does for this identity, and returns its response. */
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
      /** Reports a call whose outcome is known. */
      called(call: {
        readonly tool: string
        readonly kind: 'query' | 'mutation'
        /** SHA-256 of the document, in hexadecimal. */
        readonly documentHash: string
        /** `refused`: 401, 403 or 429. `failed`: the result is an error. */
        readonly outcome: 'done' | 'failed' | 'refused'
      }): Promise<void> | void
    },
  ): Promise<HttpResponse>
}
