/** How long sessions, tokens and links of a service are valid, in whole seconds. */
export interface Lifetimes {
  readonly sessionSeconds: number
  readonly sessionIdleSeconds: number
  readonly refreshTokenSeconds: number
  readonly refreshFamilySeconds: number
  readonly refreshGraceSeconds: number
  readonly refreshRetrySeconds: number
  readonly accessTokenSeconds: number
  readonly verificationLinkSeconds: number
  readonly resetLinkSeconds: number
  readonly emailChangeLinkSeconds: number
  readonly deviceSeconds: number
}

/** The lifetimes as given in the options. */
export type LifetimeOptions = { readonly [Name in keyof Lifetimes]?: number | undefined }

/** Browsers keep a cookie for 400 days at most (RFC 6265bis §5.5). */
const longest = 34_560_000

const bounds: Readonly<
  Record<keyof Lifetimes, readonly [option: string, byDefault: number, least: number, most: number]>
> = {
  sessionSeconds: ['sessions.lifetimeSeconds', 28_800, 60, longest],
  sessionIdleSeconds: ['sessions.idleSeconds', 3600, 60, longest],
  refreshTokenSeconds: ['sessions.refresh.tokenSeconds', 2_592_000, 60, longest],
  refreshFamilySeconds: ['sessions.refresh.familySeconds', 7_776_000, 60, longest],
  refreshGraceSeconds: ['sessions.refresh.graceSeconds', 10, 0, 60],
  refreshRetrySeconds: ['sessions.refresh.retrySeconds', 86_400, 0, 604_800],
  accessTokenSeconds: ['sessions.accessTokens.lifetimeSeconds', 900, 300, 900],
  verificationLinkSeconds: ['mails.linkSeconds.verifyEmail', 86_400, 60, 31_536_000],
  resetLinkSeconds: ['mails.linkSeconds.resetPassword', 3600, 60, 31_536_000],
  emailChangeLinkSeconds: ['mails.linkSeconds.confirmEmailChange', 86_400, 60, 31_536_000],
  deviceSeconds: ['signIn.knownDeviceSeconds', 15_552_000, 60, longest],
}

/** @throws TypeError that names a lifetime out of range, or longer than the lifetime that contains it. */
export function readLifetimes(given: LifetimeOptions): Lifetimes {
  const read = (name: keyof Lifetimes, otherwise = bounds[name][1]): number => {
    const [option, , least, most] = bounds[name]
    const seconds = given[name] === undefined ? otherwise : given[name]
    if (Number.isInteger(seconds) && seconds >= least && seconds <= most) return seconds
    throw new TypeError(`"${option}" must be a whole number of seconds from ${least} to ${most}`)
  }
  const sessionSeconds = read('sessionSeconds')
  const lifetimes: Lifetimes = {
    sessionSeconds,
    sessionIdleSeconds: read('sessionIdleSeconds', Math.min(bounds.sessionIdleSeconds[1], sessionSeconds)),
    refreshTokenSeconds: read('refreshTokenSeconds'),
    refreshFamilySeconds: read('refreshFamilySeconds'),
    refreshGraceSeconds: read('refreshGraceSeconds'),
    refreshRetrySeconds: read('refreshRetrySeconds'),
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
  throw new TypeError(`"${bounds[part][0]}" must not exceed "${bounds[whole][0]}", which is ${lifetimes[whole]}`)
}
