import type { ExecutionArgs, GraphQLError } from 'graphql'
import * as graphql from 'graphql'

/** The events of a subscription, or the errors of its source. */
export type SourceEvents =
  | { readonly ok: true; readonly events: AsyncIterator<unknown> }
  | { readonly ok: false; readonly errors: readonly GraphQLError[] }

/**
 * Runs the `subscribe` function of the operation's field (GraphQL §6.2.3.1), with versions 16 and 17 of graphql. The
 * signal is only in the context of the resolver: after an abort, version 17 would drop a late source without closing
 * it.
 */
export async function readSourceEvents(args: ExecutionArgs): Promise<SourceEvents> {
  const source = await createSource({ ...args, abortSignal: undefined })
  if (Symbol.asyncIterator in source) return { ok: true, events: source[Symbol.asyncIterator]() }
  return { ok: false, errors: source.errors ?? [] }
}

type Source = AsyncIterable<unknown> | { readonly errors?: readonly GraphQLError[] | undefined }

/** Version 17 takes validated arguments; version 16 validates them itself. */
async function createSource(args: ExecutionArgs): Promise<Source> {
  const create = graphql.createSourceEventStream as (args: unknown) => Promise<Source> | Source
  if (!('validateSubscriptionArgs' in graphql)) return create(args)
  const checked = graphql.validateSubscriptionArgs(args)
  return 'schema' in checked ? create(checked) : { errors: checked }
}
