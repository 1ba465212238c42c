import type { Attributes, Context, Counter, Histogram, Meter, MeterProvider } from '@opentelemetry/api'
import { scope } from './scope.ts'

/** The histograms and counters. */
interface Instruments {
  readonly requests: Histogram
  readonly executions: Histogram
  readonly hashes: Histogram
  readonly waits: Histogram
  readonly events: Counter
}

/** Records one value and ignores errors of the SDK. `within` holds the span that the value is an exemplar of. */
export type Recorder = (
  name: keyof Instruments,
  value: number,
  attributes: Attributes,
  within?: Context | undefined,
) => void

/** The boundaries that the semantic conventions advise for durations in seconds. */
const seconds: number[] = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** Returns what records to the provider that there is at the time; its instruments are created once. */
export function recordTo(provider: () => MeterProvider): Recorder {
  let current: { readonly provider: MeterProvider; readonly instruments: Instruments } | undefined
  return (name, value, attributes, within) => {
    try {
      const now = provider()
      if (current?.provider !== now) current = { provider: now, instruments: createInstruments(now.getMeter(scope)) }
      const instrument = current.instruments[name]
      if ('record' in instrument) instrument.record(value, attributes, within)
      else instrument.add(value, attributes, within)
    } catch {
      // What cannot be recorded changes no answer.
    }
  }
}

function createInstruments(meter: Meter): Instruments {
  const durations = (name: string, description: string): Histogram =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: seconds } })
  return {
    requests: durations('http.server.request.duration', 'Duration of HTTP server requests.'),
    executions: durations('latchkey.graphql.execution.duration', 'Duration of the execution of GraphQL operations.'),
    hashes: durations('latchkey.password.hash.duration', 'Duration of the computing of hashes of passwords.'),
    waits: durations('latchkey.password.hash.wait', 'Duration of the waiting for the computing of a hash.'),
    events: meter.createCounter('latchkey.events', { description: 'Decisions and failures.', unit: '{event}' }),
  }
}
