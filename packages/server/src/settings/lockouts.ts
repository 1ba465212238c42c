import type { CounterStore } from '@latchkey/store'
import { checkLockouts } from '@latchkey/store/internal'

/** @throws TypeError when failures in a row would be forgotten. */
export function checkLockoutStore(
  { counters, lockouts }: { readonly counters?: CounterStore; readonly lockouts?: CounterStore },
  option: string,
): void {
  const counting = lockouts ?? counters
  if (!counting)
    throw new TypeError(`"${option}" needs "stores.counters" or "stores.lockouts": it counts failures in a row`)
  checkLockouts(counting, lockouts ? 'stores.lockouts' : 'stores.counters')
}
