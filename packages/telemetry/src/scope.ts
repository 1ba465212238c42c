/** The name of what records, by which views and samplers can choose it. */
export const scope = '@latchkey/telemetry'
