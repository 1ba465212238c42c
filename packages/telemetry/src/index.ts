export { createTelemetry } from './create-telemetry.ts'
export type { Telemetry } from './telemetry.ts'
