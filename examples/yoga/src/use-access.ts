import type { Access, OperationVerdict } from '@latchkey/graphql'
import type { AnyPolicy, Identity } from '@latchkey/rbac'
import { execute } from 'graphql'
import type { Plugin } from 'graphql-yoga'

export interface UseAccessOptions<P extends AnyPolicy> {
  readonly access: Access<P>
  readonly identify: (request: Request) => Promise<Identity | null>
}

type Prepared = Extract<OperationVerdict, { ok: true }>
type Refused = Extract<OperationVerdict, { ok: false }>

/**
 * Has every operation of a Yoga server decided before it executes. Give Yoga `access.sealed` as its schema: then an
 * operation that did not come past here does not execute at all.
 */
export function useAccess<P extends AnyPolicy>({ access, identify }: UseAccessOptions<P>): Plugin {
  const prepared = new WeakMap<object, Prepared>()
  const batches = new WeakSet<Request>()
  return {
    onRequestParse: ({ request }) => ({
      onRequestParseDone({ requestParserResult }) {
        if (Array.isArray(requestParserResult)) batches.add(request)
      },
    }),
    async onParams({ params, request, context, setResult }) {
      const verdict = await access.prepare(
        { ...params, query: params.query ?? '' },
        {
          identity: await identify(request),
          credential: request.headers.has('authorization') ? 'bearer' : null,
          method: request.method === 'GET' ? 'GET' : 'POST',
          batched: batches.has(request),
          forged: isForged(request),
          accept: request.headers.get('accept'),
          extend: () => ({ request }), // what resolvers find in their context besides
        },
      )
      if (verdict.ok) prepared.set(context, verdict)
      else setResult(refuse(verdict))
    },
    // The document was parsed and validated: executing it again as another object is what the seal forbids.
    onParse({ context, setParsedDocument }) {
      const verdict = prepared.get(context)
      if (verdict) setParsedDocument(verdict.args.document)
    },
    onValidate({ context, setResult }) {
      if (prepared.has(context)) setResult([])
    },
    onExecute({ context, setExecuteFn }) {
      const verdict = prepared.get(context)
      if (!verdict) return undefined
      setExecuteFn(() => execute(verdict.args))
      return {
        onExecuteDone({ result, setResult }) {
          const rejected = 'errors' in result && isRejected(verdict) ? (result.errors ?? []).filter(isForbidden) : []
          if (rejected.length > 0) setResult({ errors: rejected, extensions: { http: { status: 403 } } })
        },
      }
    },
  }
}

/** Whether a page of another origin sent it, by the headers that browsers set. Behind a proxy `url` must be the public one. */
function isForged({ headers, url }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site !== 'same-origin' && site !== 'none'
  const origin = headers.get('origin')
  return origin !== null && origin !== new URL(url).origin
}

/** Yoga takes status and headers from `extensions.http`, and sends neither in the body. */
function refuse({ errors, response: [, { status, headers = {} }] }: Refused) {
  const { 'content-type': _yogas, ...others } = headers
  return { errors: [...errors].slice(0, 10), extensions: { http: { status, headers: others } } }
}

/** An owner who was refused below the root: the whole query is, unless the access says `ownership: 'partial'`. */
function isRejected({ plan }: Prepared): boolean {
  return plan.operation === 'query' && plan.ownership === 'reject'
}

function isForbidden(error: { readonly extensions: { readonly code?: unknown } }): boolean {
  return error.extensions.code === 'FORBIDDEN'
}
