/**
 * Runs attempts at a compare and swap until one of them decides, and returns its verdict; `null` when all of them lost.
 *
 * @param attempt returns `null` when another caller was first. The first attempt is 0.
 */
export async function untilDecided<Verdict>(
  mostAttempts: number,
  attempt: (index: number) => Promise<Verdict | null>,
): Promise<Verdict | null> {
  for (let index = 0; index < mostAttempts; index++) {
    const verdict = await attempt(index)
    if (verdict) return verdict
  }
  return null
}
