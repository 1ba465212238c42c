import { type Attempt, unknownAttempt } from '@latchkey/accounts'

/** Where what a command changes comes from: who operates the service, and no request. */
export const commandAttempt: Attempt = Object.freeze({ ...unknownAttempt, channel: 'command' })
