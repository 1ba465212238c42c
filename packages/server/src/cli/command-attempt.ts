import { type Attempt, unknownAttempt } from '@latchkey/accounts'

/** The origin of a change by a command: the operator of the service, not a request. */
export const commandAttempt: Attempt = Object.freeze({ ...unknownAttempt, channel: 'command' })
