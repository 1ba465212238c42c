/** A file that may use what all others have from elsewhere. */
export interface Seam {
  readonly place: string
  /** As `checkSeams` names it. */
  readonly uses: readonly string[]
  readonly why: string
}

/**
 * Where time, timers and randomness enter: the functions of the platform, looked up at each call. A test that replaces them
 * has replaced them for a whole service, and no package has anything else to replace.
 */
export const seams: readonly Seam[] = [
  { place: 'packages/core/src/time/wall-clock.ts', uses: ['Date.now'], why: 'the default of every option `now`' },
  {
    place: 'packages/core/src/time/timers.ts',
    uses: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate'],
    why: 'every timer',
  },
  { place: 'packages/bytes/src/random.ts', uses: ['crypto.getRandomValues'], why: 'everything random' },
  {
    place: 'packages/jwt/src/keys/generate-jwt-key.ts',
    uses: ['generateKeyPair'],
    why: 'only the platform makes key pairs; symmetric keys are random bytes',
  },
  {
    place: 'packages/passkeys/src/testing/signing-key.ts',
    uses: ['crypto.subtle.generateKey'],
    why: 'only the platform makes key pairs; those of an authenticator for tests',
  },
  {
    place: 'packages/client/src/platform/time.ts',
    uses: ['setTimeout', 'clearTimeout', 'AbortSignal.timeout', 'Math.random', 'Date.now'],
    why: 'the client stands on no other package',
  },
  { place: 'packages/client/src/platform/random.ts', uses: ['crypto.getRandomValues'], why: 'the same' },
  { place: 'packages/client/src/deliveries/token-delivery.ts', uses: ['crypto.randomUUID'], why: 'the same' },
  {
    place: 'packages/client/src/oauth/open-keys.ts',
    uses: ['crypto.subtle.generateKey'],
    why: 'only the platform makes key pairs, and this one never leaves it',
  },
]
