import { startDuration } from '@latchkey/core/internal'
import { context, SpanKind, type Tracer, trace } from '@opentelemetry/api'
import { endSpan, errorType, runWithin, startSafely } from './in-span.ts'
import type { Recorder } from './instruments.ts'
import type { Telemetry } from './telemetry.ts'

/** Clients choose names of any length. */
const longestName = 64

/** The semantic conventions for GraphQL servers. The document is no attribute: it may have secrets as literals. */
export function createExecutionTracer({ tracer, record }: { readonly tracer: Tracer; readonly record: Recorder }) {
  return <Result>(
    operation: Parameters<Telemetry['traceExecution']>[0],
    execute: () => Promise<Result> | Result,
  ): Promise<Result> | Result => {
    const elapsed = startDuration()
    const started = startSafely(() => startExecution(operation, tracer))
    return runWithin(started, execute, (outcome) => {
      const failed = 'thrown' in outcome
      const failure = failed ? { 'error.type': errorType(outcome.thrown) } : {}
      record('executions', elapsed() / 1000, { ...dimensionsOf(operation), ...failure }, started?.within)
      if (started) endSpan(started, { failed, attributes: failure })
    })
  }
}

function startExecution({ type, name }: Parameters<Telemetry['traceExecution']>[0], tracer: Tracer) {
  const parent = context.active()
  const named = name === null ? {} : { 'graphql.operation.name': name.slice(0, longestName) }
  const attributes = { 'graphql.operation.type': type, ...named }
  const span = tracer.startSpan(type, { kind: SpanKind.SERVER, attributes }, parent)
  return { span, within: trace.setSpan(parent, span) }
}

/** A name that a client has made up is no dimension: each new one would be a series that is kept. */
function dimensionsOf({ type, name, isTrusted }: Parameters<Telemetry['traceExecution']>[0]): Record<string, string> {
  const named = isTrusted && name !== null ? { 'graphql.operation.name': name } : {}
  return { 'graphql.operation.type': type, ...named }
}
