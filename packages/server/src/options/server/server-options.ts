import type { AccountsOptions } from '@latchkey/accounts'
import type { SecretKeys } from '@latchkey/bytes'
import type { Resolver } from '@latchkey/graphql'
import type { HttpRequest } from '@latchkey/http'
import type { AnyPolicy, RoleOf } from '@latchkey/rbac'
import type { GraphQLEnumType, GraphQLResolveInfo, GraphQLScalarType, GraphQLSchema } from 'graphql'
import type { ServerContext } from '../../schema/server-context.ts'
import type { AccountOptions } from '../accounts/accounts-options.ts'
import type { AuditingOptions, allowUnaudited } from '../audit/auditing.ts'
import type { GraphqlOptions } from '../graphql/graphql-options.ts'
import type { HttpOptions } from '../http/http-options.ts'
import type { Inline } from '../inline.ts'
import type { McpParts, ServiceMcp } from '../mcp/service-mcp.ts'
import type { AuthorizationParts, ServiceAuthorizationServer } from '../oauth/authorization-server.ts'
import type { ObserveOptions } from '../observe/observe-options.ts'
import type { PagesOptions } from '../pages/pages-options.ts'
import type { ServerStores } from '../server-stores.ts'
import type { SessionsOptions } from '../sessions/sessions-options.ts'
import type { SignInOptions } from '../sign-in/sign-in-options.ts'

/** The source of the root secrets. Every key of the service is derived from them, each for one purpose. */
export interface SecretSource {
  /**
   * Returns the secrets. Called once, when the service opens. The first secret encrypts and signs; all secrets decrypt
   * and verify.
   */
  load(): Promise<SecretKeys>
}

// `schema` must be first: otherwise resolvers lose their types if `typeDefs` is spread.
/** The options of a server: common options, and the schema in one of two forms. */
export type ServerOptions<P extends AnyPolicy, Added = unknown> = {
  /** The public origin: links, the issuer of tokens and the allowed origin follow from it. `http:` on loopback only. */
  readonly baseUrl: string
  /**
   * `production` hides the schema and the suggestions of its validation, and refuses `http:`, `http.transport`,
   * `pages.development` and `createTerminalMailer()`. It is the default unless `baseUrl` is `http:` and `NODE_ENV` is
   * `development`, `test`, empty or unset.
   */
  readonly environment?: 'development' | 'production'
  /** The root of every key of the service. */
  readonly secrets: SecretSource
  /** The stores. The clock of `stores.records` is the clock of the service. */
  readonly stores: ServerStores
  /** The mailer, the texts of mails, and their links. */
  readonly mails: Omit<AccountsOptions['mails'], 'baseUrl'>
  /** The role of a new account, or `'closed'`: accounts are created by administrators only. */
  readonly signUp: { readonly role: RoleOf<P> } | 'closed'
  /** How people sign in. Omitted: with an address and a password. */
  readonly signIn?: Inline<SignInOptions<P>>
  /** Lifetimes of sessions and tokens, and their cookies. */
  readonly sessions?: Inline<SessionsOptions>
  /** Changes of accounts by their owners and by administrators. */
  readonly accounts?: Inline<AccountOptions>
  /** The GraphQL endpoint: its path, its rules and its limits. */
  readonly graphql?: Inline<GraphqlOptions<P>>
  /** The origins, hosts and proxies of accepted requests. */
  readonly http?: Inline<HttpOptions>
  /**
   * The name, colors and languages of pages, for example `/sign-in` and `/account`. Omitted: English, without a name.
   */
  readonly pages?: Inline<PagesOptions>
  /**
   * An authorization server and OpenID provider for clients: `createAuthorizationServer` of `@latchkey/oauth/server`,
   * or a function that calls it with your options, for example `fixedClients`. The endpoint accepts its access tokens.
   * Omitted: the service has no clients.
   */
  readonly oauth?: (parts: AuthorizationParts) => Inline<ServiceAuthorizationServer>
  /**
   * Tools for agents over the Model Context Protocol at `/mcp`: a function that calls `createMcp` of `@latchkey/mcp`.
   * The service calls it when it opens, once it knows the published scopes. If it throws, `server.open` rejects. Needs
   * `oauth` or `accounts.apiKeys`. Omitted: no tools.
   */
  readonly mcp?: (parts: Inline<McpParts>) => Inline<ServiceMcp>
  /**
   * How the audit log is kept, in which every decision about an account is written before its effect and after it. It is on
   * if there is `stores.audit`; `allowUnaudited` leaves it out.
   */
  readonly audit?: Inline<AuditingOptions> | typeof allowUnaudited
  /** Listeners of events and measurements, telemetry, and the readiness check. */
  readonly observe?: Inline<ObserveOptions>
  /** Permissions and roles, by `definePolicy` of `@latchkey/rbac`. The names of its roles become the enum `Role`. */
  readonly policy: P
  /**
   * Adds properties to the context of resolvers for each operation, for example loaders and services. Their names must
   * not be names of a `ServerContext`. Write it before `resolvers`, so that TypeScript infers their context.
   */
  readonly context?: (base: ServerContext<P>, request: HttpRequest) => Added
} & ( // In this order TypeScript knows the arguments of resolvers also if `typeDefs` comes from a spread.
  | {
      /**
       * The application's own schema with its resolvers, which get a `ServerContext`, as `graphql` or a builder like
       * Pothos creates it. It is copied and never changed. The account types are added: a type of the same name is
       * rejected.
       */
      readonly schema: GraphQLSchema
      readonly typeDefs?: never
      readonly resolvers?: never
    }
  | {
      /** The application's own schema as text; every field carries its rule. */
      readonly typeDefs: string | readonly string[]
      /**
       * The application's resolvers by type and field, as `Resolvers` of `@latchkey/graphql`, or as `typescript-resolvers` of
       * graphql-codegen generates them with `ServerContext` as their context. A resolver of an account field replaces the built-in
       * one; its rule stays.
       */
      readonly resolvers: {
        readonly [type: string]:
          | {
              readonly [field: string]:
                | Resolver<ServerContext<P> & Added>
                | { readonly resolve: Resolver<ServerContext<P> & Added> }
                | {
                    readonly subscribe: Resolver<ServerContext<P> & Added>
                    readonly resolve?: Resolver<ServerContext<P> & Added>
                  }
                | undefined
            }
          | {
              readonly __resolveType?:
                | ((value: never, context: ServerContext<P> & Added, info: GraphQLResolveInfo) => unknown)
                | undefined
              readonly __isTypeOf?:
                | ((value: never, context: ServerContext<P> & Added, info: GraphQLResolveInfo) => unknown)
                | undefined
            }
          /** The values of an enum in the program. */
          | { readonly [value: string]: string | number | bigint | boolean | symbol | undefined }
          | GraphQLScalarType
          | GraphQLEnumType
          | undefined
      }
      readonly schema?: never
    }
)
