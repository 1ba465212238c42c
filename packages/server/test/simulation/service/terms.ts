/** What the service promises, in seconds. The oracle reads these numbers and no code of the product. */
export const lifetimes = {
  session: 3 * 3600,
  idle: 900,
  accessToken: 300,
  refreshToken: 3600,
  family: 6 * 3600,
  key: 7 * 86_400,
  /** How long an administrator acts as an account. */
  acting: 600,
  grace: 10,
  /** How long a refresh can be repeated under its name. */
  retry: 1800,
  /** A code for an application, and how long its use is remembered. */
  code: 60,
  usedCode: 600,
  /** A code by mail that signs in. */
  mailedCode: 600,
  /** Links of mails that set a password, and that confirm an address. */
  resetLink: 3600,
  confirmLink: 86_400,
  verifyLink: 86_400,
  /** What a passkey has signed. */
  ceremony: 300,
} as const

export type Terms = Readonly<Record<keyof typeof lifetimes, number>>

export const limits = {
  /** Tested passwords of one account that strangers and owners share, in each window. */
  guesses: 5,
  guessWindow: 900,
  /** A full window doubles the next one, up to an hour. */
  longestGuessWindow: 3600,
  guessWindows: [900, 1800, 3600],
  /** Within so many milliseconds of the end of a window, right passwords stay in its count. */
  lastOfWindowMs: 1000,
  /** How long a challenge can be answered, and with how many codes. */
  challenge: 300,
  challengeTries: 5,
  /**
   * Milliseconds that an operation waits at most while nothing answers: a store call fails after 250, and what it had begun is
   * taken back once. What has changed something is finished: five more calls at most.
   */
  outageMs: 500,
  answerMs: 1500,
  /** How long a stream stays open at most once its credential is revoked, and how often a process looks for that. */
  streamMs: 5000,
  watchMs: 500,
} as const
