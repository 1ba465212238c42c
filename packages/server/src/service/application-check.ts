import { within } from '@latchkey/core/internal'
/** The result of the application's own check; `null` without the option. */
export type ApplicationVerdict = { readonly ok: true } | { readonly ok: false; readonly cause: unknown } | null

/** Probes repeat within seconds, so a late answer counts as a failure. */
const deadlineMs = 2000

/** Asks the option `observe.readiness`, for two seconds at most. */
export async function checkApplication(check: (() => Promise<void>) | undefined): Promise<ApplicationVerdict> {
  if (!check) return null
  const late = () => new Error(`"observe.readiness" did not answer within ${deadlineMs} ms`)
  try {
    await within(deadlineMs, check(), late)
    return { ok: true }
  } catch (cause) {
    return { ok: false, cause }
  }
}
