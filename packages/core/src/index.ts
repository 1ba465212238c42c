export type { LatchkeyEvent } from './events/latchkey-event.ts'
export type { Measurement } from './events/measurement.ts'
export { isFailure, printEvent } from './events/print-event.ts'
