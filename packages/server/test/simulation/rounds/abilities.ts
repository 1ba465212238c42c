import { act, endActing, lookActing, overreach } from '../people/acting.ts'
import { disable, enable, endSessions, lock, setRoles, unlock } from '../people/administrators.ts'
import { createKey, listKeys, revokeKey, useKey } from '../people/api-keys.ts'
import { authorize, lookAsApp, redeemCode, redeemCopy, refreshAsApp, revokeAsApp, withdraw } from '../people/apps.ts'
import { leave, signUp, verify } from '../people/coming-and-going.ts'
import { confirmTotp, disableTotp, regenerateCodes, resetFactors, startTotp } from '../people/factors.ts'
import { requestCode, signInByMail } from '../people/mailed-codes.ts'
import { checkLink, confirmAddress, requestAddress, requestReset, reset, undoAddress } from '../people/mails.ts'
import {
  answerByPasskey,
  beginByPasskey,
  confirmPasskey,
  removePasskey,
  signInByPasskey,
  startPasskey,
} from '../people/passkeys.ts'
import type { Habit } from '../people/plan.ts'
import { linkFirst, linkProvider, signInByProvider, unlinkProvider } from '../people/providers.ts'
import { refresh, refreshSafely } from '../people/refreshes.ts'
import { answer, answerBySpare, confirmPassword, exhaust, stepUp } from '../people/second-steps.ts'
import {
  changePassword,
  guessInSession,
  listSessions,
  look,
  meddle,
  mistype,
  revokeOne,
  revokeOthers,
  signIn,
  signInAsBefore,
  signInInstead,
  signInTrusted,
  signOut,
} from '../people/sessions.ts'
import { guess } from '../people/strangers.ts'
import { again, answerByApp, open, openFamily, openSession, openTwo, signInAnew, startFirstTotp } from './opening.ts'

/** Something that a person does, and what has to be there before. */
export interface Ability {
  readonly habit: Habit
  /** Each is another function, so that it happens once more. */
  readonly needs: readonly Habit[]
  /** What it leaves: nothing, something, or a change of the account or of much that is open. */
  readonly leaves: 'nothing' | 'something' | 'a change'
  /** Who alone can do it; absent: whoever has an account. */
  readonly who?: 'administrator' | 'newcomer'
}

const reads = (habit: Habit, needs: readonly Habit[]): Ability => ({ habit, needs, leaves: 'nothing' })
const does = (habit: Habit, needs: readonly Habit[]): Ability => ({ habit, needs, leaves: 'something' })
const changes = (habit: Habit, needs: readonly Habit[]): Ability => ({ habit, needs, leaves: 'a change' })
const administers = (ability: Ability): Ability => ({ ...ability, who: 'administrator' })
const signsUp = (ability: Ability): Ability => ({ ...ability, who: 'newcomer' })

const opened: readonly Habit[] = [open, answerByApp]
const session: readonly Habit[] = [openSession, answerByApp]
const twice: readonly Habit[] = [...opened, openTwo, again(answerByApp)]
const family: readonly Habit[] = [openFamily, answerByApp]
const guarded: readonly Habit[] = [...opened, startFirstTotp, confirmTotp]
const challenged: readonly Habit[] = [...guarded, signInAnew]
const moving: readonly Habit[] = [...opened, requestAddress]
const keyed: readonly Habit[] = [...opened, createKey]
const coded: readonly Habit[] = [...session, authorize]
/** Who links a user of a provider has shown the password lately. */
const fresh: readonly Habit[] = [signInAnew, answerByApp]
const acted: readonly Habit[] = [...opened, act]
const withPasskey: readonly Habit[] = [...opened, startPasskey, confirmPasskey]

/** Some of all that a change revokes. */
export const belongings: readonly Habit[] = [...coded, redeemCode, createKey]

/** What people do, by what it is about: deeds of one theme touch the same. */
export const themes: readonly (readonly Ability[])[] = [
  [
    does(redeemCode, coded),
    does(redeemCopy, [...coded, redeemCode]),
    reads(lookAsApp, [...coded, redeemCode]),
    does(refreshAsApp, [...coded, redeemCode]),
    does(authorize, session),
    does(withdraw, coded),
    does(revokeAsApp, [...coded, redeemCode]),
  ],
  [does(refresh, family), does(refreshSafely, family)],
  [
    reads(look, opened),
    reads(listSessions, twice),
    does(signOut, opened),
    changes(revokeOne, twice),
    changes(revokeOthers, twice),
    changes(endSessions, opened),
    does(signIn, []),
    does(signInInstead, session),
    reads(meddle, opened),
  ],
  [
    changes(changePassword, twice),
    does(signInAsBefore, [...opened, changePassword]),
    does(confirmPassword, twice),
    does(guessInSession, [...opened, mistype, again(mistype), again(mistype)]),
    does(again(signInAnew), [mistype, again(mistype), again(mistype), again(mistype)]),
    reads(guess, []),
  ],
  [does(requestReset, []), changes(reset, [requestReset]), reads(checkLink, [requestReset])],
  [
    changes(lock, opened),
    does(unlock, [lock]),
    does(disable, opened),
    does(enable, [disable]),
    changes(setRoles, opened),
    changes(leave, twice),
  ],
  [does(act, opened), reads(lookActing, acted), reads(overreach, acted), does(endActing, acted)].map(administers),
  [does(createKey, opened), does(useKey, keyed), does(revokeKey, keyed), reads(listKeys, keyed)],
  [does(requestAddress, opened), changes(confirmAddress, moving), changes(undoAddress, [...moving, confirmAddress])],
  [
    does(startTotp, opened),
    changes(confirmTotp, [...opened, startFirstTotp]),
    changes(disableTotp, guarded),
    changes(regenerateCodes, guarded),
    changes(resetFactors, guarded),
  ],
  [
    does(answer, challenged),
    does(answerBySpare, [...challenged, again(signInAnew)]),
    does(exhaust, challenged),
    does(stepUp, guarded),
    does(signInTrusted, [...challenged, again(answerByApp)]),
  ],
]

/** Other ways in than the password, which only some worlds have. */
export const otherWays: readonly (readonly Ability[])[] = [
  [
    does(signInByProvider, [...fresh, linkFirst]),
    changes(linkProvider, fresh),
    changes(unlinkProvider, [...fresh, linkFirst]),
  ],
  [does(requestCode, []), does(signInByMail, [requestCode])],
  [
    changes(confirmPasskey, [...opened, startPasskey]),
    changes(removePasskey, withPasskey),
    does(signInByPasskey, [...withPasskey, beginByPasskey]),
    does(answerByPasskey, [...withPasskey, signInAnew]),
  ],
]

export const openingByProvider: Ability = signsUp(does(signInByProvider, []))

export const ofNewcomers: readonly Ability[] = [does(signUp, []), does(verify, [signUp])].map(signsUp)
