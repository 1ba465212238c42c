import { type DocumentNode, type ExecutionArgs, type GraphQLError, parse } from 'graphql'
import { CloseCode, type Context, makeServer, type Server, type SubscribePayload } from 'graphql-ws'
import { AccessError, type AccessErrorCode } from '../../errors.ts'
import { isCredentialInvalid, type RequestIdentity, refuseOtherSession } from '../../handler/request-identity.ts'
import { checkParams } from '../../handler/request-params.ts'
import { refusal } from '../../refusal.ts'
import type { Answer } from '../../responses/answer.ts'
import { codeOf } from '../../responses/error-table.ts'
import type { ResultStream } from '../event-stream.ts'
import { endNotices, StreamEndedError } from '../stream-end.ts'
import type { SubscriptionTransport } from '../subscription-transport.ts'
import { closeForEnd, type SocketClient } from './socket-client.ts'
import { withConnectionParams } from './with-connection-params.ts'

/** The `graphql-transport-ws` protocol of graphql-ws. */
export type SocketProtocol = Server<SocketClient>

type ProtocolContext = Context<Record<string, unknown>, SocketClient>

/** Arguments for the execution of an open stream. graphql-ws reads only the type of the operation. */
interface OpenedArgs extends ExecutionArgs {
  readonly stream: ResultStream
}

let anySubscription: DocumentNode | undefined

export function createSocketProtocol(transport: SubscriptionTransport): SocketProtocol {
  return makeServer<Record<string, unknown>, SocketClient>({
    connectionInitWaitTimeout: transport.limits.initMs,
    onConnect: (context) => acceptClient(transport, context),
    onSubscribe: ({ extra: client }, _id, payload) => openStream(transport, client, payload),
    subscribe: (args) => (args as OpenedArgs).stream,
    onError: ({ extra: client }, _id, _payload, errors) =>
      errors.flatMap((error) => toShown(transport, client, error)).map((error) => error.toJSON()),
  })
}

/** Returns the payload of the acknowledgement, `true` for none; `false` if the socket is closed. */
async function acceptClient(
  transport: SubscriptionTransport,
  context: ProtocolContext,
): Promise<Record<string, unknown> | boolean> {
  const client = context.extra
  try {
    const requestIdentity = await connect(transport, client, context.connectionParams)
    return isCredentialInvalid(requestIdentity) ? { credential: 'invalid' } : true
  } catch (error) {
    const code = codeOfAnswer(transport.answerRefusal(client.request, error))
    client.socket.close(closeCodes[code] ?? CloseCode.InternalServerError, code)
    return false
  }
}

/**
 * Connects the client and returns its identity.
 *
 * @throws AccessError `BAD_REQUEST`, `CSRF_REJECTED`, `SERVICE_UNAVAILABLE`, and the errors of the identity reader.
 */
async function connect(
  transport: SubscriptionTransport,
  client: SocketClient,
  params: ProtocolContext['connectionParams'],
): Promise<RequestIdentity> {
  const request = withConnectionParams(client.request, params)
  transport.checkOpen()
  const requestIdentity = await transport.identify(request, client.forged)
  // Also without a `forgery` option, where every request counts as forged.
  if (requestIdentity.credential === 'cookie' && client.forged) throw new AccessError('CSRF_REJECTED')
  refuseOtherSession({ request, requestIdentity, queued: { setHeader: noHeader } }, transport.forgery)
  if (client.isOver) throw new AccessError('SERVICE_UNAVAILABLE')
  client.connection = transport.connect({
    request,
    requestIdentity,
    streams: transport.limits.streamsPerSocket,
    onEnd: (end) => closeForEnd(client, end),
  })
  return requestIdentity
}

/** An open socket cannot send headers. */
function noHeader(): void {}

async function openStream(
  transport: SubscriptionTransport,
  { connection, request }: SocketClient,
  payload: SubscribePayload,
): Promise<OpenedArgs | GraphQLError[]> {
  try {
    if (!connection) throw new AccessError('SERVICE_UNAVAILABLE')
    // graphql-ws requires a query: clients that send a document by its id leave it empty.
    const { params } = checkParams({ ...payload, query: payload.query || undefined }, transport.trustedDocuments)
    const opened = await connection.subscribe(params, { reidentify: true })
    return opened.ok ? argsOf(opened.stream) : errorsOf(opened.answer)
  } catch (error) {
    return errorsOf(transport.answerRefusal(request, error))
  }
}

function argsOf(stream: ResultStream): OpenedArgs {
  anySubscription ??= parse('subscription { s }')
  return { document: anySubscription, stream } as unknown as OpenedArgs
}

function errorsOf({ body }: Answer): GraphQLError[] {
  return [...(body.errors ?? [])]
}

const closeCodes: Readonly<Partial<Record<AccessErrorCode, number>>> = {
  BAD_REQUEST: CloseCode.BadRequest,
  CSRF_REJECTED: CloseCode.Forbidden,
  SERVICE_UNAVAILABLE: endNotices.unavailable.socketCode,
}

function codeOfAnswer(answer: Answer): AccessErrorCode {
  const [error] = errorsOf(answer)
  return error ? codeOf(error) : 'INTERNAL_SERVER_ERROR'
}

/**
 * Returns the errors to show. An error while the stream is read or its result is written was not made for clients:
 * graphql-ws wraps it and copies its `extensions` with any code. If the service stopped the stream, the socket is
 * closed and the error is not sent.
 */
function toShown(
  transport: SubscriptionTransport,
  { request }: SocketClient,
  error: GraphQLError,
): readonly GraphQLError[] {
  const { originalError, extensions } = error
  if (originalError === undefined && typeof extensions.code === 'string') return [error]
  const thrown = originalError ?? error
  if (thrown instanceof StreamEndedError) return [refusal('INTERNAL_SERVER_ERROR')]
  return errorsOf(transport.answerRefusal(request, thrown))
}
