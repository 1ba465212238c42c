import { within } from '@latchkey/core/internal'
/** What the database of the application answered to a readiness probe: `null` when there is none to ask. */
export type ApplicationVerdict = { readonly ok: true } | { readonly ok: false; readonly cause: unknown } | null

/** A probe is asked again within seconds: one that is answered late is as good as one that is not. */
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
