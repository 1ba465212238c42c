import { randomToken } from '@latchkey/bytes'
import { checkOptionNames } from '@latchkey/core/internal'
import {
  type ForgeryCheck,
  fromFetchRequest,
  type IdentityReader,
  type IdentityReading,
  type SessionCookie,
} from '@latchkey/http'
import type { AnyPolicy, Identity } from '@latchkey/rbac'
import { type DocumentNode, type ExecutionResult, execute, type GraphQLError } from 'graphql'
import type { Access, AuthContext, OperationVerdict } from './access-contract.ts'
import { refuseSubscription } from './handler/operation-steps.ts'
import { type PresentedErrorsOptions, showErrors, showThrown } from './handler/presented-errors.ts'
import {
  createIdentify,
  credentialHeaders,
  csrfHeader,
  findOtherSession,
  isTokenShown,
  type RequestIdentity,
} from './handler/request-identity.ts'
import { type Answer, answer, answerRefusal } from './responses/answer.ts'
import type { RequestFacts } from './responses/error-table.ts'
import { negotiateMediaType } from './responses/negotiate-media-type.ts'

export interface YogaPluginOptions<P extends AnyPolicy> {
  /** From `compileAccess`. Give Yoga its `sealed` schema, which serves no data without this plugin. */
  readonly access: Access<P>
  /** Reads the identity of a request. */
  readonly identify: IdentityReader<Identity>
  /**
   * Checks whether a page of another site sent a request. Omitted: mutations over a session cookie and credential
   * fields are refused, because they need this check.
   */
  readonly forgery?: ForgeryCheck
  /** The cookies with which a forged request is always refused. Default: every cookie counts. */
  readonly cookies?: readonly Pick<SessionCookie, 'isSent'>[]
  /**
   * Returns members that the context of resolvers gets in addition to `identity`, `authorize`, `can` and the others.
   */
  readonly context?: (base: AuthContext<P>, request: Request) => object
}

/** The hooks of this plugin. It is compatible with `Plugin` of `graphql-yoga`. */
export interface YogaPlugin {
  onYogaInit(event: { readonly yoga: { readonly logger: { error(...texts: readonly unknown[]): void } } }): void
  onRequestParse(event: { readonly request: Request }): {
    onRequestParseDone(event: { readonly requestParserResult: unknown }): void
  }
  onParams(event: {
    readonly request: Request
    readonly params: Partial<Parameters<Access['prepare']>[0]>
    readonly context: object
    setResult(result: ExecutionResult): void
  }): Promise<void>
  onParse(event: { readonly context: object; setParsedDocument(document: DocumentNode): void }): void
  onValidate(event: { readonly context: object; setResult(errors: readonly GraphQLError[]): void }): void
  onExecute(event: {
    readonly context: object
    setExecuteFn(executeFn: () => Promise<ExecutionResult> | ExecutionResult): void
  }):
    | undefined
    | {
        onExecuteDone(event: {
          readonly result: ExecutionResult | AsyncIterable<unknown>
          setResult(result: ExecutionResult): void
        }): void
      }
}

/**
 * Creates a plugin that decides every operation of a GraphQL Yoga server before it executes, with the statuses, headers
 * and codes of `createGraphqlHandler`. Resolvers get the context of the access, in which `response` cannot be used.
 *
 * Subscriptions are refused: `createStreamHandler` and `createSocketHandler` serve them. Yoga itself handles bodies,
 * time, `Accept` and introspection without a plan.
 *
 * @throws TypeError naming the option that is not valid.
 *
 * @example
 * import type { Access } from '@latchkey/graphql'
 * import { createYogaPlugin } from '@latchkey/graphql/yoga'
 * import type { IdentityReader } from '@latchkey/http'
 * import type { AnyPolicy, Identity } from '@latchkey/rbac'
 * declare const access: Access<AnyPolicy>
 * declare const identify: IdentityReader<Identity>
 * const plugin = createYogaPlugin({ access, identify }) // createYoga({ schema: access.sealed, plugins: [plugin] })
 */
export function createYogaPlugin<P extends AnyPolicy>(options: YogaPluginOptions<P>): YogaPlugin {
  // The compiler checked the names that the policy's type adds to the context: at run time it is the same context.
  const decide = createDecide(options as unknown as YogaPluginOptions<AnyPolicy>)
  const batches = new WeakSet<Request>()
  const allowed = new WeakMap<object, Allowed>()
  let logger: Parameters<YogaPlugin['onYogaInit']>[0]['yoga']['logger'] | null = null
  const presentedErrors: PresentedErrorsOptions = {
    errors: options.access.errors,
    translateError: () => null,
    report(cause) {
      const id = randomToken(16)
      logger?.error(id, cause)
      return id
    },
  }
  return {
    onYogaInit({ yoga }) {
      logger = yoga.logger
    },
    onRequestParse: ({ request }) => ({
      onRequestParseDone({ requestParserResult }) {
        if (Array.isArray(requestParserResult)) batches.add(request)
      },
    }),
    async onParams({ request, params, context, setResult }) {
      try {
        const decided = await decide(request, { ...params, query: params.query ?? '' }, batches.has(request))
        if (decided.ok) allowed.set(context, decided)
        else setResult(toResult(decided.answer))
      } catch (error) {
        setResult(toResult(answerRefusal([showThrown(error, presentedErrors)], factsOf(request))))
      }
    },
    // The document was parsed and validated: the seal forbids executing another object.
    onParse({ context, setParsedDocument }) {
      const operation = allowed.get(context)
      if (operation) setParsedDocument(operation.args.document)
    },
    onValidate({ context, setResult }) {
      if (allowed.has(context)) setResult([])
    },
    onExecute({ context, setExecuteFn }) {
      const operation = allowed.get(context)
      if (!operation) return undefined
      setExecuteFn(() => execute(operation.args))
      return {
        onExecuteDone({ result, setResult }) {
          if (Symbol.asyncIterator in result) return
          const { errors = [] } = result
          const { identity } = operation.args.contextValue as AuthContext
          // A sign-in delivers another credential.
          const headers = identity ? {} : operation.headers
          if (errors.length === 0 && Object.keys(headers).length === 0) return
          const answered = answer(result, showErrors(errors, presentedErrors), operation, operation.facts)
          setResult(toResult(withHeaders(answered, headers)))
        },
      }
    },
  }
}

type Verdict = Extract<OperationVerdict, { readonly ok: true }>
type Allowed = Verdict & Pick<Answer, 'headers'> & { readonly facts: RequestFacts }
type Decided = Allowed | { readonly ok: false; readonly answer: Answer }
type Decide = (request: Request, params: Parameters<Access['prepare']>[0], batched: boolean) => Promise<Decided>

function createDecide(options: YogaPluginOptions<AnyPolicy>): Decide {
  checkOptions(options)
  const { access, forgery, context } = options
  const identify = createIdentify(options)
  const known = new WeakMap<Request, Promise<RequestIdentity>>()

  /** The operations of a batch share their sender, and a proof may be valid only once. */
  function identifyOnce(request: Request): Promise<RequestIdentity> {
    const identified = known.get(request) ?? identify(fromFetchRequest(request))
    known.set(request, identified)
    return identified
  }

  return async (request, params, batched) => {
    const sender = await identifyOnce(request)
    const { identity, credential, forged } = sender
    let headers = Object.fromEntries(credentialHeaders(sender))
    const offer = (token: string): void => {
      headers = { [csrfHeader]: token }
    }
    const shown = request.headers.get(csrfHeader)
    const otherSession = findOtherSession(shown, sender, { forgery, offer })
    if (otherSession) return refuse([otherSession], factsOf(request, sender), headers)
    const verdict = await access.prepare(params, {
      identity,
      credential,
      method: request.method === 'GET' ? 'GET' : 'POST',
      batched,
      forged,
      csrf: () => isTokenShown(shown, sender, { forgery, offer }),
      signal: request.signal,
      ...(context && { extend: (base) => context(base, request) }),
    })
    if (verdict.ok) refuseSubscription(verdict.plan)
    const facts = factsOf(request, sender, verdict.plan?.requiresIdentity)
    if (verdict.ok) return { ...verdict, facts, headers }
    return refuse(verdict.errors, facts, headers)
  }
}

function refuse(errors: readonly GraphQLError[], facts: RequestFacts, headers: Answer['headers']): Decided {
  return { ok: false, answer: withHeaders(answerRefusal(errors, facts), headers) }
}

function factsOf(
  { method, headers }: Request,
  { credential, identity }: IdentityReading<Identity> = { credential: null, identity: null },
  requiresIdentity = false,
): RequestFacts {
  const mediaType = negotiateMediaType(headers.get('accept') ?? 'application/graphql-response+json')
  return {
    method,
    mediaType: mediaType ?? 'application/json',
    profile: 'compatible',
    isBodyRead: true,
    isTokenRefused: credential === 'bearer' && identity === null,
    requiresIdentity,
  }
}

function withHeaders({ headers, ...answer }: Answer, added: Answer['headers']): Answer {
  return { ...answer, headers: { ...headers, ...added } }
}

/** Yoga takes status and headers from `extensions.http`, and omits both from the body. */
function toResult({ status, headers, body }: Answer): ExecutionResult {
  return { ...body, extensions: { http: { status, headers } } }
}

/** @throws TypeError naming the option that is not valid. */
function checkOptions(options: YogaPluginOptions<AnyPolicy>): void {
  checkOptionNames('createYogaPlugin', options, {
    access: true,
    identify: true,
    forgery: true,
    cookies: true,
    context: true,
  })
  const { access, identify, context } = options
  if (typeof access?.prepare !== 'function') throw new TypeError('"access" must come from compileAccess')
  if (typeof identify?.read !== 'function') throw new TypeError('"identify" must be an IdentityReader')
  if (context !== undefined && typeof context !== 'function') {
    throw new TypeError('"context" must be a function or omitted')
  }
}
