/** What the database of the application answered to a readiness probe: `null` when there is none to ask. */
export type ApplicationVerdict = { readonly ok: true } | { readonly ok: false; readonly cause: unknown } | null

/** A probe is asked again within seconds: one that is answered late is as good as one that is not. */
const deadlineMs = 2000

type Timer = unknown
declare function setTimeout(work: () => void, milliseconds: number): Timer
declare function clearTimeout(timer: Timer): void

/** Asks the option `check`, for two seconds at most. */
export async function checkApplication(check: (() => Promise<void>) | undefined): Promise<ApplicationVerdict> {
  if (!check) return null
  let timer: Timer
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`"check" did not answer within ${deadlineMs} ms`)), deadlineMs)
  })
  try {
    await Promise.race([check(), late])
    return { ok: true }
  } catch (cause) {
    return { ok: false, cause }
  } finally {
    clearTimeout(timer)
  }
}
