import type { Explored } from '../explorer/explore.ts'
import type { Happening } from '../explorer/stage.ts'
import * as administrators from './administrator-cores.ts'
import { type Core, type CoreRun, exploreCore } from './core.ts'
import * as lastWay from './last-way-cores.ts'
import * as oauth from './oauth-cores.ts'
import * as oneTime from './one-time-cores.ts'
import { lostIndex } from './planted-faults.ts'
import { recoveryCode } from './recovery-cores.ts'
import * as refreshing from './refresh-cores.ts'
import * as sessions from './session-cores.ts'
import * as signingIn from './sign-in-cores.ts'

export const everyFault: readonly Exclude<Happening, 'runs'>[] = ['killed', 'killed-after', 'failed', 'lost']

type Tier = 1 | 2 | 3

/** A core by what its callers do. */
export interface ListedCore {
  readonly title: string
  /** The tier that explores it without faults, and with all of them; `null`: these are too many states for any. */
  readonly tiers: readonly [plain: Tier, faulty: Tier | null]
  readonly explore: (run: CoreRun) => Promise<Explored>
}

function list<Given>(
  title: string,
  tiers: ListedCore['tiers'],
  core: Core<Given>,
  always: Pick<CoreRun, 'branchesFor' | 'plant'> = {},
): ListedCore {
  return { title, tiers, explore: (run) => exploreCore(core, { ...always, ...run }) }
}

// Two removals that overtake each other start again, for many rounds: the first rounds branch.
export const cores: readonly ListedCore[] = [
  list('three sign-ins', [1, 2], signingIn.signInsAlone),

  list('a refresh token, used three times within the grace', [1, 2], refreshing.repeatedWithinGrace),
  list('a refresh token, used three times without a grace', [1, 2], refreshing.repeatedWithoutGrace),
  list('a refresh token, reused after the grace by two thieves', [1, 2], refreshing.reusedAfterGrace),

  list('a one-time credential, used three times', [1, 1], oneTime.oneTimeCredential),
  list('the link of a reset, used twice', [2, 3], oneTime.resetLinkOfTwo),
  list('the link of a reset, used three times', [3, null], oneTime.resetLink),
  list('the link of a sign-up, used three times', [1, 2], oneTime.verificationLink),
  list('the link of a sign-up without its password, used twice', [1, 1], oneTime.verificationLinkWithoutPassword),
  list('a mailed code, used three times', [1, 2], oneTime.mailedCode),
  list('an authorization code, used twice', [1, 2], oauth.authorizationCodeOfTwo),
  list('an authorization code, used three times', [2, 3], oauth.authorizationCode),

  list('a recovery code, shown in two sign-ins', [1, 1], recoveryCode),

  list('two sign-ins while the account is disabled', [2, 3], signingIn.disabledMeanwhile),
  list('two sign-ins while the account is locked', [2, 3], signingIn.lockedMeanwhile),
  list('two sign-ins with the old password while it is changed', [2, 3], signingIn.changedMeanwhile),
  list('two changes of a password, and a sign-in with the old one', [2, 3], signingIn.changedTwice),

  list('a session, replaced twice and revoked', [1, 2], sessions.replacedTwice),
  list('a session and a token, replaced while all are revoked', [2, 2], sessions.replacedWhileRevoked),
  list('a session and a token, replaced while all others are revoked', [2, 3], sessions.replacedWhileOthersRevoked),

  list('two sign-ins while the account is disabled, without an index of owners', [1, 2], signingIn.disabledMeanwhile, {
    plant: lostIndex,
  }),
  list('two sign-ins while the password is changed, without an index of owners', [2, 2], signingIn.changedMeanwhile, {
    plant: lostIndex,
  }),
  list(
    'a session and a token, replaced while all are revoked, without an index of owners',
    [1, 2],
    sessions.replacedWhileRevoked,
    {
      plant: lostIndex,
    },
  ),

  list('the last of two ways in, removed twice', [1, 1], lastWay.lastWayOfTwo, { branchesFor: 12 }),
  list('the last of three ways in, removed three times', [2, 3], lastWay.lastWayOfThree, { branchesFor: 10 }),
  list('the last of two passkeys, removed twice', [2, 3], lastWay.lastPasskey, { branchesFor: 24 }),

  list('two administrators, demoted at once', [1, 2], administrators.demotedAtOnce, { branchesFor: 24 }),
  list('two administrators, demoted and disabled at once', [2, 3], administrators.demotedAndDisabledAtOnce, {
    branchesFor: 12,
  }),
  list('two administrators, one deleted and one demoted at once', [2, 3], administrators.deletedAndDemotedAtOnce, {
    branchesFor: 24,
  }),
  list('two administrators, deleted at once', [3, null], administrators.deletedAtOnce, { branchesFor: 24 }),
]

/** Returns rows of a table whose titles are written whole. */
export function named(listed: readonly ListedCore[]) {
  return listed.map((core) => [core.title, core] as const)
}
