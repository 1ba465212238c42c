import type { FactorVerdict } from '@latchkey/store'

type Refusal = Extract<FactorVerdict, { readonly ok: false }>

/** Returns the verdict on a code that does not count as wrong. */
export function refuse<const Reason extends Refusal['reason']>(
  reason: Reason,
): { readonly ok: false; readonly reason: Reason } {
  return { ok: false, reason }
}
