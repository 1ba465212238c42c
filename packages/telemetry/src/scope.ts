/** The name of the instrumentation scope, by which views and samplers can choose it. */
export const scope = '@latchkey/telemetry'
