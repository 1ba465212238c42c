import { startDuration } from '@latchkey/core/internal'
import {
  type Attributes,
  type Context,
  context,
  propagation,
  type SpanContext,
  SpanKind,
  type TextMapGetter,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { type Ending, endSpan, errorType, runWithin, type StartedSpan, startSafely } from './in-span.ts'
import type { Recorder } from './instruments.ts'
import type { Telemetry } from './telemetry.ts'

interface RequestTracerParts {
  readonly tracer: Tracer
  readonly record: Recorder
  readonly traceparent: 'parent' | 'link'
}

interface StartedRequest extends StartedSpan {
  /** `false`: an instrumentation around the service has a span of this request, and measures it. */
  readonly isOutermost: boolean
}

/**
 * The methods of RFC 9110, RFC 5789 and the QUERY draft. All others count as one value, because clients could send any.
 */
const knownMethods: ReadonlySet<string> = new Set(
  ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE'], //
)

const headers: TextMapGetter<Parameters<Telemetry['traceRequest']>[0]> = {
  get: (request, name) => request.headers.get(name) ?? undefined,
  keys: () => [],
}

/** The semantic conventions for HTTP, 1.x: spans of servers, and `http.server.request.duration`. */
export function createRequestTracer(parts: RequestTracerParts) {
  return async <Reply extends { readonly status: number }>(
    request: Parameters<Telemetry['traceRequest']>[0],
    facts: Parameters<Telemetry['traceRequest']>[1],
    answer: () => Promise<Reply>,
  ): Promise<Reply> => {
    const elapsed = startDuration()
    const dimensions = dimensionsOf(request, facts)
    const started = startSafely(() => startRequest(request, facts, dimensions, parts))
    const end = (ending: Ending): void => {
      const all = { ...dimensions, ...ending.attributes }
      if (started?.isOutermost !== false) parts.record('requests', elapsed() / 1000, all, started?.within)
      if (started) endSpan(started, ending)
    }
    return runWithin(started, answer, (outcome) =>
      end('result' in outcome ? answered(outcome.result.status) : thrown(outcome.thrown)),
    )
  }
}

function dimensionsOf(
  { method }: Parameters<Telemetry['traceRequest']>[0],
  { route, scheme }: Parameters<Telemetry['traceRequest']>[1],
): Attributes {
  const known = knownMethods.has(method) ? method : '_OTHER'
  return { 'http.request.method': known, 'url.scheme': scheme, ...(route !== null && { 'http.route': route }) }
}

function startRequest(
  request: Parameters<Telemetry['traceRequest']>[0],
  { route, requestId }: Parameters<Telemetry['traceRequest']>[1],
  dimensions: Attributes,
  { tracer, traceparent }: RequestTracerParts,
): StartedRequest {
  const outer = context.active()
  const isOutermost = trace.getSpan(outer) === undefined
  const named = isOutermost ? propagation.extract(outer, request, headers) : outer
  const parent: Context = traceparent === 'link' ? outer : named
  const span = tracer.startSpan(
    spanName(dimensions),
    {
      kind: isOutermost ? SpanKind.SERVER : SpanKind.INTERNAL,
      attributes: {
        ...dimensions,
        // The path of a route is no secret. That of no route may be anything, such as a link with its token.
        ...(route !== null && { 'url.path': route }),
        ...(requestId !== undefined && { 'http.response.header.x-request-id': [requestId] }),
      },
      links: linksTo(isOutermost && parent === outer ? trace.getSpanContext(named) : undefined),
    },
    parent,
  )
  return { span, within: trace.setSpan(parent, span), isOutermost }
}

function linksTo(linked: SpanContext | undefined): { context: SpanContext }[] {
  return linked ? [{ context: linked }] : []
}

function spanName({ 'http.request.method': method, 'http.route': route }: Attributes): string {
  const verb = method === '_OTHER' ? 'HTTP' : method
  return route === undefined ? `${verb}` : `${verb} ${route}`
}

/** A refusal is an ordinary response: only 5xx statuses are failures. */
function answered(status: number): Ending {
  const failed = status >= 500
  return { failed, attributes: { 'http.response.status_code': status, ...(failed && { 'error.type': `${status}` }) } }
}

function thrown(error: unknown): Ending {
  return { failed: true, attributes: { 'error.type': errorType(error) } }
}
