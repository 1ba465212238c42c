export { createTelemetry, type Telemetry, type TelemetryOptions } from './create-telemetry.ts'
export type { TracedOperation } from './trace-execution.ts'
export type { RequestFacts, TracedRequest } from './trace-request.ts'
