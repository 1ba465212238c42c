import { type PresentedAttempt, unknownAttempt } from '@latchkey/accounts'

/** Where what a command changes comes from: who operates the service, and no request. */
export const commandAttempt: PresentedAttempt = Object.freeze({ ...unknownAttempt, channel: 'command' })
