import { checkOptionNames } from '@latchkey/core/internal'

/** How long sessions, tokens and links of a service are valid, in whole seconds. */
export interface Lifetimes {
  /** A session altogether, however much it is used, and its cookie: 28800 (8 hours). */
  readonly sessionSeconds: number
  /** A session without use: 3600, or `sessionSeconds` where that is less. */
  readonly sessionIdleSeconds: number
  /** A refresh token until it is used, and its cookie: 2592000 (30 days). */
  readonly refreshTokenSeconds: number
  /** All refresh tokens of one sign-in together: 7776000 (90 days). */
  readonly refreshFamilySeconds: number
  /** How long the refresh token before the newest gets the same successor again: 10, at most 60; 0: never. */
  readonly refreshGraceSeconds: number
  /** An access token: 900, from 300 to 900. */
  readonly accessTokenSeconds: number
  /** The link of a sign-up: 86400 (24 hours). */
  readonly verificationLinkSeconds: number
  /** The link of a password reset: 3600. */
  readonly resetLinkSeconds: number
  /** The links of a change of address: 86400 (24 hours). How long it can be undone is `undoDays`. */
  readonly emailChangeLinkSeconds: number
  /** How long a device is recognized after its last sign-in, and its cookie: 15552000 (180 days). */
  readonly deviceSeconds: number
}

/** Browsers keep a cookie for 400 days at most (RFC 6265bis §5.5). */
const longest = 34_560_000

const bounds: Readonly<Record<keyof Lifetimes, readonly [byDefault: number, least: number, most: number]>> = {
  sessionSeconds: [28_800, 60, longest],
  sessionIdleSeconds: [3600, 60, longest],
  refreshTokenSeconds: [2_592_000, 60, longest],
  refreshFamilySeconds: [7_776_000, 60, longest],
  refreshGraceSeconds: [10, 0, 60],
  accessTokenSeconds: [900, 300, 900],
  verificationLinkSeconds: [86_400, 60, 31_536_000],
  resetLinkSeconds: [3600, 60, 31_536_000],
  emailChangeLinkSeconds: [86_400, 60, 31_536_000],
  deviceSeconds: [15_552_000, 60, longest],
}

const names = {
  sessionSeconds: true,
  sessionIdleSeconds: true,
  refreshTokenSeconds: true,
  refreshFamilySeconds: true,
  refreshGraceSeconds: true,
  accessTokenSeconds: true,
  verificationLinkSeconds: true,
  resetLinkSeconds: true,
  emailChangeLinkSeconds: true,
  deviceSeconds: true,
} as const

/** @throws TypeError that names what is unknown, out of range, or longer than what it is a part of. */
export function readLifetimes(given: Partial<Lifetimes> = {}): Lifetimes {
  checkOptionNames('"lifetimes"', given, names)
  const read = (name: keyof Lifetimes, otherwise = bounds[name][0]): number => {
    const [, least, most] = bounds[name]
    const seconds = given[name] === undefined ? otherwise : given[name]
    if (Number.isInteger(seconds) && seconds >= least && seconds <= most) return seconds
    throw new TypeError(`"lifetimes.${name}" must be a whole number of seconds from ${least} to ${most}`)
  }
  const sessionSeconds = read('sessionSeconds')
  const lifetimes: Lifetimes = {
    sessionSeconds,
    sessionIdleSeconds: read('sessionIdleSeconds', Math.min(bounds.sessionIdleSeconds[0], sessionSeconds)),
    refreshTokenSeconds: read('refreshTokenSeconds'),
    refreshFamilySeconds: read('refreshFamilySeconds'),
    refreshGraceSeconds: read('refreshGraceSeconds'),
    accessTokenSeconds: read('accessTokenSeconds'),
    verificationLinkSeconds: read('verificationLinkSeconds'),
    resetLinkSeconds: read('resetLinkSeconds'),
    emailChangeLinkSeconds: read('emailChangeLinkSeconds'),
    deviceSeconds: read('deviceSeconds'),
  }
  checkWithin(lifetimes, 'sessionIdleSeconds', 'sessionSeconds')
  checkWithin(lifetimes, 'refreshTokenSeconds', 'refreshFamilySeconds')
  return lifetimes
}

function checkWithin(lifetimes: Lifetimes, part: keyof Lifetimes, whole: keyof Lifetimes): void {
  if (lifetimes[part] <= lifetimes[whole]) return
  throw new TypeError(`"lifetimes.${part}" must not exceed "lifetimes.${whole}", which is ${lifetimes[whole]}`)
}
