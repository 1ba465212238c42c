import { type AttemptLimits, allowUnlimitedAttempts, createAttemptLimits } from '@latchkey/accounts'
import { deriveSecrets, type SecretKeys } from '@latchkey/bytes'
import { wallClock } from '@latchkey/core/internal'
import { type CounterStore, createMemoryCounterStore } from '@latchkey/store'
import { checkLockouts } from '@latchkey/store/internal'
import { namedWithin } from '../named-by-path.ts'

interface LimitingOptions {
  readonly guessing?:
    | Omit<Parameters<typeof createAttemptLimits>[0], 'counters' | 'lockouts' | 'secrets' | 'now'>
    | typeof allowUnlimitedAttempts
  readonly stores: { readonly counters?: CounterStore; readonly lockouts?: CounterStore }
}

/** Creates the limits on guessing of an open service, with secrets that are derived for them alone. */
export function createServiceLimits(
  { guessing = {}, stores }: LimitingOptions,
  { secrets, now }: { readonly secrets: SecretKeys; readonly now: () => number },
): AttemptLimits | typeof allowUnlimitedAttempts {
  if (guessing === allowUnlimitedAttempts) return guessing
  const { counters = createMemoryCounterStore({ now }), lockouts = counters } = stores
  return createAttemptLimits({
    ...guessing,
    counters,
    lockouts,
    secrets: deriveSecrets(secrets, 'guessing-limits'),
    now,
  })
}

/** @throws TypeError if the options of the limits cannot be used. */
export function checkGuessing(options: LimitingOptions): void {
  const { guessing = {}, stores } = options
  if (guessing === allowUnlimitedAttempts) return
  if (typeof guessing !== 'object' || guessing === null) {
    throw new TypeError('"signIn.attemptLimits" must be an object with limits, or allowUnlimitedAttempts')
  }
  for (const name of ['counters', 'lockouts', 'secrets', 'now']) {
    if (Object.hasOwn(guessing, name))
      throw new TypeError(`createServer has no option "signIn.attemptLimits.${name}": it is the service's own`)
  }
  checkLockouts(stores, 'stores.')
  namedWithin('signIn.attemptLimits', () =>
    createServiceLimits(options, { secrets: [{ id: 'unused', bytes: new Uint8Array(32) }], now: wallClock }),
  )
}
